import { randomUUID } from "node:crypto";
import { Random } from "@seriatim/log";
import { openAt, type Address } from "../staging/address.ts";
import { TemporaryFolder } from "../staging/folder.ts";
import type { Processes } from "../staging/processes.ts";
import { startService } from "../staging/service.ts";
import { setStage, type Stage } from "../staging/stage.ts";
import { withProcesses } from "../staging/with-processes.ts";
import { judgeAt, type Judged } from "../workloads/judging.ts";
import { AgentProcess } from "./agent-process.ts";
import { exampleEnvironment, exampleHandlers } from "./example.ts";
import type { AgentReport } from "./messages.ts";
import { OfficeProcess } from "./office-process.ts";
import type { BookingOptions } from "./options.ts";
import { untilSettled, type Settled } from "./settling.ts";
import { putUpSeats, seatNames, takenSeats } from "./seats.ts";

export interface BookingResult {
  readonly options: BookingOptions;
  readonly show: string;
  readonly address: Address;
  readonly reports: readonly AgentReport[];
  /** Seats that the space shows as taken. */
  readonly taken: number;
  readonly settled: Settled;
  /** What the checker says of the space, which may hold more than this run. */
  readonly judged: Judged;
  readonly seconds: number;
}

export interface BookingWatch {
  readonly signal: AbortSignal;
  /** Told what goes on, as people read it. */
  readonly onStage: (stage: string) => void;
}

/** How many workers share the effects of a space on Kafka; of one in a file the agents call them. */
const workers = 2;

/**
 * Lets agents book seats, and waits until what they asked for is done or undone. Leaves no process behind, however it
 * ends.
 * @throws Failure `aborted` when the signal fires; what opening the space throws; an Error that names a child process
 *   which ended early.
 */
export async function runBooking(options: BookingOptions, watch: BookingWatch): Promise<BookingResult> {
  const folder = new TemporaryFolder("booking");
  try {
    return await withProcesses("the booking", watch.signal, (processes) =>
      perform(options, { folder, processes, ...watch }),
    );
  } finally {
    folder.endAt(options.place);
  }
}

interface Means extends BookingWatch {
  readonly folder: TemporaryFolder;
  readonly processes: Processes;
}

async function perform(options: BookingOptions, means: Means): Promise<BookingResult> {
  const { folder, processes, signal, onStage } = means;
  onStage("processes start");
  const began = performance.now();
  const show = `show-${randomUUID().slice(0, 8)}`;
  const [stage, office] = await Promise.all([
    setStage(options.place, "booking", folder, processes),
    OfficeProcess.start(processes, options.seed),
  ]);
  const address = stage("parent");
  await prepare(address, show, options);
  await startWorkers(address, office, folder, processes);
  const reports = await letBook(startAgents(stage, show, office, options, processes), onStage);
  onStage("waiting until what was asked for is done, or undone");
  const effectsFile = folder.file("parent.effects.db");
  const settled = await untilSettled({ address, effectsFile, show, office, signal });
  const seconds = (performance.now() - began) / 1000;
  const taken = await takenAt(address, show, reports);
  return { options, show, address, reports, taken, settled, judged: await judgeAt(address), seconds };
}

async function prepare(address: Address, show: string, { seats }: BookingOptions): Promise<void> {
  const coordinator = await openAt(address);
  try {
    await putUpSeats(coordinator, show, seatNames(seats));
  } finally {
    await coordinator.close();
  }
}

async function takenAt(address: Address, show: string, reports: readonly AgentReport[]): Promise<number> {
  const coordinator = await openAt(address);
  try {
    return await takenSeats(coordinator, show, reports);
  } finally {
    await coordinator.close();
  }
}

async function startWorkers(
  address: Address,
  office: OfficeProcess,
  folder: TemporaryFolder,
  processes: Processes,
): Promise<void> {
  if (address.log === "sqlite") return;
  const { brokers, space } = address;
  const place = ["--brokers", brokers.join(","), "--space", space, "--handlers", exampleHandlers()];
  const names = Array.from({ length: workers }, (_, index) => `worker-${index + 1}`);
  await Promise.all(
    names.map((name) => {
      const files = ["--view", folder.file(`${name}.view.db`), "--effects", folder.file(`${name}.effects.db`)];
      const environment = exampleEnvironment(office.url);
      return startService({ name, arguments: ["effects-worker", ...place, ...files], environment }, processes);
    }),
  );
}

function startAgents(
  stage: Stage,
  show: string,
  office: OfficeProcess,
  { agents, seats, isolation, seed }: BookingOptions,
  processes: Processes,
): AgentProcess[] {
  const wishes = dealt(seatNames(seats), agents, seed);
  return wishes.map((wish, index) => {
    const agent = `agent-${index + 1}`;
    return new AgentProcess(processes, { agent, address: stage(agent), isolation, show, wish }, office.url);
  });
}

/** Each seat is wished for as often as any other, or once more. */
function dealt(seats: readonly string[], agents: number, seed: number): string[] {
  const random = new Random(seed);
  const deck = Array.from({ length: agents }, (_, index) => seats[index % seats.length] ?? "");
  return deck.map((_, index) => {
    const other = index + random.below(deck.length - index);
    [deck[index], deck[other]] = [deck[other] ?? "", deck[index] ?? ""];
    return deck[index] ?? "";
  });
}

async function letBook(
  agents: readonly AgentProcess[],
  onStage: BookingWatch["onStage"],
): Promise<readonly AgentReport[]> {
  await Promise.all(agents.map(({ ready }) => ready));
  onStage("all take hold of a seat");
  for (const agent of agents) agent.tell("begin");
  await Promise.all(agents.map(({ holding }) => holding));
  onStage("all decide");
  for (const agent of agents) agent.tell("decide");
  return Promise.all(agents.map(({ done }) => done));
}
