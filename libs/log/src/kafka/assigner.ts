import kafkajs, { type PartitionAssigner } from "kafkajs";

// kafkajs is CommonJS in a form whose names Node does not see.
const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

const name = "seriatim-fixed";
const version = 1;

/** Gives the whole of `partitions` to the group's one member: kafkajs has no other way to ask for fixed partitions. */
export function fixedPartitions(topic: string, partitions: readonly number[]): PartitionAssigner {
  const userData = Buffer.alloc(0);
  return () => ({
    name,
    version,
    protocol: ({ topics }) => ({
      name,
      metadata: MemberMetadata.encode({ version, topics, userData }),
    }),
    assign: ({ members }) => {
      const assignment = { [topic]: [...partitions] };
      const memberAssignment = MemberAssignment.encode({ version, assignment, userData });
      return Promise.resolve(members.map(({ memberId }) => ({ memberId, memberAssignment })));
    },
  });
}
