import { type Entropy, randomAlphanumeric } from '../secrets/entropy.ts'

const CHARACTERS = 4
/** 62⁴ codes: a few draws find a free one until nearly all are taken. */
const DRAWS_MAX = 20

/** Draws affiliate codes until one is accepted; `take` answers null when another user has the code. */
export async function drawAffCode<Taken>(
  entropy: Entropy,
  take: (code: string) => Promise<Taken | null>,
): Promise<Taken> {
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const taken = await take(randomAlphanumeric(entropy, CHARACTERS))
    if (taken !== null) return taken
  }
  throw new Error('no free affiliate code was found: nearly all of them are taken')
}
