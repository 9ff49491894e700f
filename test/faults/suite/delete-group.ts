import { connect } from "node:net";
import kafkajs, { type Admin } from "kafkajs";
import { Frames } from "../../support/frames.ts";

/** Kafka's LeaveGroup, in the last version that is encoded as plainly as this. */
const leaveGroup = { key: 13, version: 3 } as const;

/**
 * Deletes a consumer group although it has members: they are made to leave first, as the broker allows to anybody.
 * @returns whether there was such a group
 */
export async function deleteGroup(brokers: readonly string[], group: string): Promise<boolean> {
  const admin = new kafkajs.Kafka({
    brokers: [...brokers],
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 3 },
  }).admin();
  try {
    await admin.connect();
    // Whoever left may have joined again meanwhile; some broker may have just come back.
    for (let tries = 0; tries < 5; tries += 1) if (await deleted(admin, brokers, group)) return true;
    return false;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function deleted(admin: Admin, brokers: readonly string[], group: string): Promise<boolean> {
  const { groups } = await admin.describeGroups([group]);
  const members = groups.flatMap((each) => each.members.map(({ memberId }) => memberId));
  if (members.length > 0) await leave(brokers, group, members);
  try {
    await admin.deleteGroups([group]);
    return true;
  } catch {
    return false;
  }
}

async function leave([broker = ""]: readonly string[], group: string, members: readonly string[]): Promise<void> {
  const { hostname, port } = new URL(`kafka://${broker}`);
  const socket = connect(Number(port), hostname);
  try {
    await new Promise<void>((resolve, reject) => {
      const answers = new Frames(() => resolve());
      socket.on("data", (data: Buffer) => answers.push(data));
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the broker closed the connection")));
      socket.write(requestOf(group, members));
    });
  } finally {
    socket.destroy();
  }
}

function requestOf(group: string, members: readonly string[]): Buffer {
  const noInstance = Buffer.from([0xff, 0xff]);
  const correlation = 1;
  const body = Buffer.concat([
    int16(leaveGroup.key),
    int16(leaveGroup.version),
    int32(correlation),
    text("test"),
    text(group),
    int32(members.length),
    ...members.flatMap((member) => [text(member), noInstance]),
  ]);
  return Buffer.concat([int32(body.length), body]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
