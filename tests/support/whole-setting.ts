/** A whole number from the environment, or what holds without one. Throws a RangeError that says what to set. */
export function wholeSetting(name: string, otherwise: number): number {
  const text = process.env[name] ?? ''
  if (text === '') return otherwise
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new RangeError(`${name} is "${text}": set it to a whole number from 0 on, or leave it out`)
}

/**
 * The seed of a test that takes its chances: as set, else by the time of day, so that each run tries others. In CI
 * always the same ones: what fails there is to come from the change at hand.
 */
export const seedSetting = (name: string): number =>
  wholeSetting(name, process.env['CI'] === 'true' ? 1 : Date.now() % 1_000_000)
