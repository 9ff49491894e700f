/**
 * A number by which ids are found: an index of numbers is a third of one of ids, and most of what random ids cost is
 * the pages of their index. Ids that share a number are told apart by themselves. Stored, so it must never change.
 * @returns a safe integer from 0.
 */
export function hashOfId(id: string): number {
  let low = 0x9e37_79b9;
  let high = 0x85eb_ca6b;
  for (let at = 0; at < id.length; at += 1) {
    const unit = id.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x85eb_ca77);
    high = Math.imul(high ^ unit, 0xc2b2_ae3d);
  }
  low = Math.imul(low ^ (low >>> 16), 0x21f0_aaad) ^ Math.imul(high ^ (high >>> 15), 0x735a_2d97);
  high = Math.imul(high ^ (high >>> 16), 0x21f0_aaad) ^ Math.imul(low ^ (low >>> 15), 0x735a_2d97);
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
