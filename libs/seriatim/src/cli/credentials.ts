import { readFileSync } from "node:fs";
import type { KafkaOptions } from "@seriatim/log";
import { Option, type Command } from "commander";
import type { Faults } from "./faults.ts";

export interface CredentialFlags {
  readonly tls?: true;
  readonly tlsCa?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly saslMechanism?: Mechanism;
  readonly saslUsername?: string;
}

const mechanisms = ["plain", "scram-sha-256", "scram-sha-512"] as const;
type Mechanism = (typeof mechanisms)[number];

/** Where the password is: other processes can read a command line. */
const passwordVariable = "SERIATIM_SASL_PASSWORD";

const tlsVariable = "SERIATIM_TLS";

/** Declares the flags by which a client shows a broker who it is. */
export function addCredentialFlags(command: Command): Command {
  return command
    .addOption(new Option("--tls", `Kafka: speak TLS (or ${tlsVariable}=true)`))
    .addOption(new Option("--tls-ca <path>", "PEM of who signs the brokers' certificates").env("SERIATIM_TLS_CA"))
    .addOption(new Option("--tls-cert <path>", "PEM of the client's certificate").env("SERIATIM_TLS_CERT"))
    .addOption(new Option("--tls-key <path>", "PEM of its key").env("SERIATIM_TLS_KEY"))
    .addOption(
      new Option("--sasl-mechanism <name>", `Kafka: log in; the password is in ${passwordVariable}`)
        .choices(mechanisms)
        .env("SERIATIM_SASL_MECHANISM"),
    )
    .addOption(new Option("--sasl-username <name>", "who logs in").env("SERIATIM_SASL_USERNAME"));
}

/** What they say, for the client; secrets are nowhere else. */
export function credentialsOf(flags: CredentialFlags, faults: Faults): Pick<KafkaOptions, "ssl" | "sasl"> {
  return { ...tlsOf(flags, faults), ...saslOf(flags, faults) };
}

function tlsOf({ tls, tlsCa, tlsCert, tlsKey }: CredentialFlags, faults: Faults): Pick<KafkaOptions, "ssl"> {
  const [ca, cert, key] = [
    pemOf("--tls-ca", tlsCa, faults),
    pemOf("--tls-cert", tlsCert, faults),
    pemOf("--tls-key", tlsKey, faults),
  ];
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    faults.add("--tls-cert and --tls-key go together: a certificate is of use with its key only");
  const given = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (tls !== true && !isTlsSet(faults) && Object.keys(given).length === 0) return {};
  return { ssl: Object.keys(given).length === 0 ? true : given };
}

/** A flag takes any value of its variable for a yes. */
function isTlsSet(faults: Faults): boolean {
  const value = process.env[tlsVariable] ?? "";
  if (["", "0", "false", "1", "true"].includes(value)) return value === "1" || value === "true";
  faults.add(`${tlsVariable} is ${JSON.stringify(value)}; true or false is wanted`);
  return false;
}

function pemOf(flag: string, path: string | undefined, faults: Faults): string | undefined {
  if (path === undefined || path === "") return undefined;
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    faults.add(`${flag}: ${path} cannot be read (${error instanceof Error ? error.message : String(error)})`);
    return undefined;
  }
}

function saslOf({ saslMechanism, saslUsername }: CredentialFlags, faults: Faults): Pick<KafkaOptions, "sasl"> {
  if (saslMechanism === undefined && saslUsername === undefined) return {};
  const password = process.env[passwordVariable] ?? "";
  if (saslMechanism === undefined) faults.add(`--sasl-mechanism is missing: one of ${mechanisms.join(", ")}`);
  if (saslUsername === undefined) faults.add("--sasl-username is missing");
  if (password === "") faults.add(`${passwordVariable} is not set: it holds the password of --sasl-username`);
  if (saslMechanism === undefined || saslUsername === undefined) return {};
  return { sasl: { mechanism: saslMechanism, username: saslUsername, password } as NonNullable<KafkaOptions["sasl"]> };
}
