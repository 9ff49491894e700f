/* TLS and a login: what flags and environment say goes to the broker, and a secret nowhere else. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { freePort } from "../../tools/kafka/ports.mjs";
import { canUseJars, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { end, Lines, seriatim, start } from "../cli/command.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

const password = "not-to-be-printed";

describe("flags and variables", () => {
  it("that do not fit are named at once, before anything is asked of a broker", async () => {
    const place = ["--brokers", "127.0.0.1:1", "--space", "s"];
    const login = ["--sasl-mechanism", "plain", "--tls-ca", "/nowhere/ca.pem", "--tls-key", "/nowhere/key.pem"];
    const { code, stderr } = await seriatim(["status", ...place, ...login], { env: { SERIATIM_TLS: "perhaps" } });
    expect(code).toBe(64);
    for (const fault of [
      "--sasl-username is missing",
      "SERIATIM_SASL_PASSWORD is not set",
      "--tls-ca: /nowhere/ca.pem cannot be read",
      "--tls-cert and --tls-key go together",
      'SERIATIM_TLS is "perhaps"',
    ])
      expect(stderr).toContain(fault);
  });
});

interface Secured {
  readonly broker: Broker;
  readonly address: string;
  /** PEM of who signs its certificate. */
  readonly ca: string;
}

function listener(name: string, port: number): string {
  return `${name}://127.0.0.1:${port}`;
}

/** A broker with a second listener, which speaks TLS and knows one user. */
async function startSecured(): Promise<Secured> {
  const [port, secure, controller] = [await freePort(), await freePort(), await freePort()];
  const store = temporaryFile("broker.p12");
  const ca = temporaryFile("ca.pem");
  const keystore = ["-keystore", store, "-storetype", "PKCS12", "-storepass", "changeit", "-alias", "broker"];
  const names = ["-dname", "CN=broker", "-ext", "SAN=IP:127.0.0.1", "-ext", "BC=ca:true"];
  execFileSync("keytool", ["-genkeypair", "-keyalg", "RSA", "-validity", "1", ...keystore, ...names]);
  execFileSync("keytool", ["-exportcert", "-rfc", "-file", ca, ...keystore]);
  const login = "listener.name.secure";
  const broker = await startBroker({
    from: "jars",
    port,
    properties: {
      listeners: [listener("PLAINTEXT", port), listener("SECURE", secure), listener("CONTROLLER", controller)].join(
        ",",
      ),
      "advertised.listeners": [listener("PLAINTEXT", port), listener("SECURE", secure)].join(","),
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT",
      [`${login}.sasl.enabled.mechanisms`]: "PLAIN",
      [`${login}.plain.sasl.jaas.config`]: `org.apache.kafka.common.security.plain.PlainLoginModule required user_ada="${password}";`,
      [`${login}.ssl.keystore.location`]: store,
      [`${login}.ssl.keystore.type`]: "PKCS12",
      [`${login}.ssl.keystore.password`]: "changeit",
      [`${login}.ssl.key.password`]: "changeit",
    },
  });
  return { broker, address: `127.0.0.1:${secure}`, ca };
}

await describeKafka("a broker that asks who is there", () => {
  it.skipIf(!canUseJars())("lets in whom it knows, and nobody learns the password from us", async () => {
    const { broker, address, ca } = await startSecured();
    try {
      const place = ["--brokers", address, "--space", "secured", "--view", temporaryFile("view.db")];
      const login = ["--tls-ca", ca, "--sasl-mechanism", "plain", "--sasl-username", "ada"];
      const env = { SERIATIM_SASL_PASSWORD: password };
      const init = await seriatim(["init", ...place, ...login, "--partitions", "1"], { env });
      expect(init).toMatchObject({ code: 0, stderr: "" });
      const sequencer = start(["sequencer", ...place, ...login, "--log-level", "trace"], { env });
      let logged = "";
      sequencer.stderr?.on("data", (chunk: Buffer) => (logged += chunk.toString()));
      const ready = await new Lines(sequencer).next();
      const put = await seriatim(["put", "a/b", "1", ...place, ...login], { env });
      expect(put).toMatchObject({ code: 0, stdout: "0@1\n" });
      const check = await seriatim(["check", ...place.slice(0, 4), ...login], { env });
      expect(check).toMatchObject({ code: 0 });
      await end(sequencer, "SIGTERM");
      const stranger = await seriatim(["get", "a/b", ...place, ...login], {
        env: { SERIATIM_SASL_PASSWORD: "another" },
      });
      expect(stranger.code).toBe(70);
      expect(stranger.stderr).toContain("Correct the credentials");
      const said = [init.stdout, ready, logged, put.stdout, put.stderr, stranger.stdout, stranger.stderr].join("");
      expect(said).not.toContain(password);
      expect(said).not.toContain("another");
    } finally {
      await broker.stop();
    }
  });
});
