import { createHash } from 'node:crypto'

/** Characters of the answer's name, enough to tell answers apart: OpenAI has refused ids of more than 40 in all. */
const NAME_MAX = 24

/**
 * The name of an answer: as upstream told it, else the time at which it came, in unix milliseconds. Ids of its calls are
 * made of it, and those of two answers must not be the same: providers refuse that, and thoughts are kept by them.
 */
export const answerName = (told: string, answeredAt: number): string =>
  told === '' ? answeredAt.toString(36) : told

/** The id of a call that its provider gave none: the place among the calls of an answer, in characters that all take. */
export const madeCallId = (answer: string, place: number): string =>
  `call_${answer.replace(/[^\w-]/g, '').slice(-NAME_MAX)}_${place}`

/**
 * An id as its next provider takes it: the id itself where it `fits`, else a digest of so many letters and digits behind
 * `before`. A call and its result get the same, and different ids stay different.
 */
export function fittingCallId(
  id: string,
  {
    fits,
    before,
    digits,
  }: { readonly fits: RegExp; readonly before: string; readonly digits: number },
): string {
  if (fits.test(id)) return id
  return before + createHash('sha256').update(id).digest('hex').slice(0, digits)
}
