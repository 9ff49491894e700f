/**
 * Books a seat of a show: the one that is wished for, or another that is free. Many may do so at once.
 *
 * @param order `{ agent, show, wish, isolation, attempts }`
 * @param decide what the customer takes time for while the seat is held: resolves when the seat is wanted.
 * @returns what `run` does; its value is the seat, or null when the show is sold out.
 */
export async function book(coordinator, { agent, show, wish, isolation, attempts }, decide) {
  // Under an id: an agent that starts again after a crash does not book a second seat.
  const run = { agent, id: `${show}/${agent}`, partitionKey: show, isolation, attempts };
  return coordinator.run(run, async (tx) => {
    const seats = await tx.scan({ prefix: `${show}/` });
    const free = seats.filter(({ value }) => value.agent === null);
    const key = (free.find((seat) => seat.key === `${show}/${wish}`) ?? free[0])?.key;
    if (key === undefined) return null;
    const order = { show, seat: key.slice(show.length + 1), agent };

    // Called now, for the answer is needed. It is undone unless this transaction commits, whatever happens.
    const { reservation } = await tx.compensable("hold", order, { undo: "release", lease: 60_000 });
    await decide(order.seat);

    tx.put(key, { agent, reservation });
    // Called after the commit, and only then. Each seat is a lane of its own: none waits for another.
    tx.defer("confirm", { ...order, reservation }, { lane: key });
    return order.seat;
  });
}
