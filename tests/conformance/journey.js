/** What each journey asks: the same in every client. The stand-ins look into the prompt for what it is to be. */
export const prompt = (kind) => `Do ${kind}.`
/** A picture of one pixel. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=='
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
export const ADD = {
  name: 'add',
  description: 'Adds up',
  schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
}
export const sum = ({ n }) => `sum ${n}`
export const OUTPUT_MAX = 4_000

/**
 * Runs a loop of tools until the model calls none.
 *
 * @param turn Asks once; gives calls `{ id, input }`, text and thought.
 * @param answer Adds a call's result to what is asked next.
 */
export async function loop(turn, answer) {
  let rounds = 0
  let seen = null
  for (;;) {
    const { calls, text, thought } = await turn()
    seen ??= thought ?? null
    if (calls.length === 0) return { rounds, text, thought: seen }
    rounds += 1
    for (const call of calls) answer(call)
  }
}
