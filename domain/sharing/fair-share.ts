/**
 * Which member should do which piece of work, by rendezvous hashing (Thaler and Ravishankar, 1996): every name goes to
 * the member whose hash together with it is the highest. Processes that know the same members reach the same answer, in
 * whatever order they list them. A joining member takes names from others and moves none between them. A leaving
 * member's names go to the others, and no other name moves. Shares are even on average, not exactly. Without members
 * the answer is empty.
 */
export function fairShare(
  members: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, string> {
  const shares = new Map<string, string>()
  for (const name of names) {
    const best = bestFor(name, members)
    if (best !== null) shares.set(name, best)
  }
  return shares
}

function bestFor(name: string, members: readonly string[]): string | null {
  let best: string | null = null
  let highest = -1
  for (const member of members) {
    const score = scoreOf(member, name)
    if (score < highest || (score === highest && best !== null && member < best)) continue
    best = member
    highest = score
  }
  return best
}

/** 32 bits: FNV-1a, finished with MurmurHash3's mixing, without which near names would score alike. */
function scoreOf(member: string, name: string): number {
  const text = `${member}\u0000${name}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
