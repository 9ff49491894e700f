import { context, propagation } from "@opentelemetry/api";

/** The caller's OpenTelemetry context as headers (`traceparent` and its like); none where the process traces nothing. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}
