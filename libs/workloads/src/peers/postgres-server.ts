import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const packages = "/usr/lib/postgresql";

/** Whether a commit is reported before it is on the disk: `false` may lose the last ones in a power cut. */
export interface PostgresOptions {
  readonly synchronousCommit?: boolean;
}

/** A PostgreSQL of its own, on a Unix socket only, with the settings that it comes with. */
export class PostgresServer {
  readonly version: string;
  /** The folder of its socket. */
  readonly host: string;
  readonly user = "bench";
  readonly #process: ChildProcess;

  private constructor(version: string, host: string, running: ChildProcess) {
    this.version = version;
    this.host = host;
    this.#process = running;
  }

  /** A server on a new database in `folder`, or why there is none. */
  static async start(
    folder: string,
    { synchronousCommit = true }: PostgresOptions = {},
  ): Promise<PostgresServer | string> {
    const version = newest();
    if (version === undefined) return `there is no PostgreSQL in ${packages}: install Debian's postgresql`;
    const owner: Owner | undefined = process.getuid?.() === 0 ? postgresUser() : {};
    if (owner === undefined) return "PostgreSQL does not run as root, and there is no user postgres";
    const binaries = join(packages, version, "bin");
    const home = join(folder, "postgres");
    mkdirSync(home, { mode: 0o700 });
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(home, owner.uid, owner.gid);
    const data = join(home, "data");
    await run(join(binaries, "initdb"), ["--pgdata", data, "--username", "bench", "--auth", "trust"], owner);
    const synchronous = ["-c", `synchronous_commit=${synchronousCommit ? "on" : "off"}`];
    const settings = ["-c", "listen_addresses=", "-c", `unix_socket_directories=${home}`, ...synchronous];
    const running = spawn(join(binaries, "postgres"), ["-D", data, ...settings], { ...owner, stdio: "ignore" });
    return new PostgresServer(version, home, running);
  }

  get isRunning(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#process, "exit");
    // Ends its sessions and then itself.
    this.#process.kill("SIGINT");
    await ended;
  }
}

function newest(): string | undefined {
  try {
    return readdirSync(packages)
      .toSorted((a, b) => Number(a) - Number(b))
      .at(-1);
  } catch {
    return undefined;
  }
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

function postgresUser(): Owner | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("postgres:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
