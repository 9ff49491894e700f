export { Gateway, type GatewayOptions } from "./gateway.ts";
export { defaultGatewayLimits, type GatewayLimits } from "./limits.ts";
export { serveStdio, type StdioOptions } from "./stdio.ts";
export { exportMemory } from "./files/export.ts";
export { importMemory, type Imported, type ImportOptions } from "./files/import.ts";
export { HttpServer, type HttpOptions } from "./http/server.ts";
