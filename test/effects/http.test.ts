import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callHandler, httpHandlersOf, type CallOutcome, type Handlers } from "@seriatim/effects";
import { contextOf, json } from "./calls.ts";

interface Request {
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

const requests: Request[] = [];
let answer: (response: ServerResponse) => void = (response) => response.end();
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    requests.push({ method: request.method, headers: request.headers, body });
    answer(response);
  });
});
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => void requests.splice(0));

const secret = "s3cr3t-token";

async function call(config: object = {}, context = contextOf(), TOKEN = secret): Promise<CallOutcome> {
  const SERIATIM_HTTP_HANDLERS = JSON.stringify({ notify: { url: `${url}/notify`, ...config } });
  const handler = httpHandlersOf({ SERIATIM_HTTP_HANDLERS, TOKEN }).get("notify");
  if (handler === undefined) throw new Error("it was not configured");
  return callHandler(handler, json({ approval: 1042 }), context);
}

function answerWith(status: number, body = "", headers: Record<string, string> = {}): void {
  answer = (response) => response.writeHead(status, headers).end(body);
}

describe("the HTTP handler", () => {
  test("posts the arguments under the key, with headers from the environment", async () => {
    answerWith(201, '{"mail":7}', { "content-type": "application/json; charset=utf-8" });
    const outcome = await call({ headers: { Authorization: "Bearer ${TOKEN}" } });
    expect(outcome).toEqual({ kind: "done", result: json({ mail: 7 }) });
    expect(requests).toEqual([
      {
        method: "POST",
        headers: expect.objectContaining({
          "idempotency-key": `"${contextOf().key}"`,
          "content-type": "application/json",
          authorization: `Bearer ${secret}`,
        }),
        body: '{"approval":1042}',
      },
    ]);
  });

  test("gives an inverse the forward call's key and result", async () => {
    answerWith(204);
    const forward = { key: "cd".repeat(32), outcome: "done", result: { seat: 3 } } as const;
    expect(await call({}, { ...contextOf(), side: "undo", forward })).toEqual({ kind: "done", result: null });
    expect(JSON.parse(requests[0]?.body ?? "")).toEqual({ arguments: { approval: 1042 }, forward });
  });

  test.each([
    [200, "done"],
    [202, "done"],
    [302, "refused"],
    [400, "refused"],
    [401, "refused"],
    [404, "refused"],
    [408, "unsettled"],
    [409, "unsettled"],
    [422, "refused"],
    [425, "not_done"],
    [429, "not_done"],
    [500, "unsettled"],
    [503, "unsettled"],
  ])("takes HTTP %i as %s", async (status, kind) => {
    answerWith(status, "why  not", { location: "/elsewhere" });
    const outcome = await call();
    expect(outcome).toMatchObject(kind === "done" ? { kind } : { kind, error: `HTTP ${status}: why not` });
    expect(requests).toHaveLength(1);
  });

  test("waits as long as it is asked to, within bounds", async () => {
    answerWith(503, "", { "retry-after": "3" });
    expect(await call()).toMatchObject({ kind: "unsettled", delay: 3_000 });
    answerWith(429, "", { "retry-after": "31536000" });
    expect(await call()).toMatchObject({ kind: "not_done", delay: 600_000 });
  });

  test("does not know what became of a call without an answer", async () => {
    answer = () => undefined;
    expect(await call({ timeout: 50 })).toMatchObject({ kind: "unsettled", error: /no answer within 50 ms/ });
    answer = (response) => response.destroy();
    expect(await call()).toMatchObject({ kind: "unsettled" });
  });

  test("knows that nothing has happened when nobody listens", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await call({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ kind: "not_done", error: /ECONNREFUSED/ });
  });

  test("keeps no secret that the receiver repeats, in results or errors", async () => {
    const headers = { Authorization: "Bearer ${TOKEN}" };
    answerWith(200, `{"you sent":"Bearer ${secret}"}`, { "content-type": "application/json" });
    expect(await call({ headers })).toEqual({ kind: "done", result: json({ "you sent": "Bearer ***" }) });
    answerWith(401, `no such token: ${secret}`);
    expect(await call({ headers })).toEqual({ kind: "refused", error: "HTTP 401: no such token: ***" });
  });

  const odd = 'ab/cd+ef"gh\\ij%k';

  test.each([
    ["as a file's last line feed leaves it", odd, odd],
    ["as PHP writes JSON", odd, JSON.stringify(odd).replaceAll("/", String.raw`\/`)],
    [
      "as .NET writes JSON",
      odd,
      JSON.stringify(odd)
        .replaceAll("+", String.raw`\u002B`)
        .replaceAll(`\\"`, String.raw`\u0022`),
    ],
    ["in lower case", odd, JSON.stringify(odd).replaceAll("+", String.raw`\u002b`)],
    ["in a URL", odd, encodeURIComponent(odd)],
    ["in part in a URL", odd, odd.replace("%", "%25").replace("+", "%2b")],
  ])("keeps no secret that is repeated %s", async (_, TOKEN, repeated) => {
    answerWith(401, `no such token: <${repeated}>`);
    const outcome = await call({ headers: { Authorization: "Bearer ${TOKEN}" } }, contextOf(), `${TOKEN}\n`);
    expect(outcome).toMatchObject({
      kind: "refused",
      error: expect.stringMatching(/^HTTP 401: no such token: <"?\*{3}"?>$/) as string,
    });
  });

  test("keeps no answer that is too long, and reads no more of it", async () => {
    answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(10_000)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    expect(await call()).toEqual({ kind: "done", result: null });
  });
});

function configure(config: unknown): Handlers {
  return httpHandlersOf({ SERIATIM_HTTP_HANDLERS: JSON.stringify(config), BROKEN: `${secret}\n-` });
}

describe("a configuration of HTTP handlers", () => {
  test("may be a URL alone, and none at all", () => {
    expect([...configure({ notify: "https://mail.example/send" }).keys()]).toEqual(["notify"]);
    expect(httpHandlersOf({}).size).toBe(0);
  });

  test.each([
    ["holds no JSON object", []],
    ["has no `url`", { notify: {} }],
    ["is no http or https URL", { notify: "ftp://mail.example" }],
    ["has a user or password in its `url`", { notify: { url: "https://user:${BROKEN}@mail.example/" } }],
    ['has the property "method"', { notify: { url: "http://a.example", method: "PUT" } }],
    ["names the variable ABSENT", { notify: { url: "http://a.example", headers: { Authorization: "${ABSENT}" } } }],
    ["that HTTP does not allow", { notify: { url: "http://a.example", headers: { Authorization: "${BROKEN}" } } }],
    ["which is ours", { notify: { url: "http://a.example", headers: { "Idempotency-Key": "1" } } }],
    ["has 300001 as `timeout`: over HTTP at most 300000", { notify: { url: "http://a.example", timeout: 300_001 } }],
    ['"notify" has 0 as `attempts`', { notify: { url: "http://a.example", attempts: 0 } }],
  ])("that %s is refused, without its secrets", (fault, config) => {
    expect(() => configure(config)).toThrow(fault);
    expect(() => configure(config)).not.toThrow(secret);
  });
});
