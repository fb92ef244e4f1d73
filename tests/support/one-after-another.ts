/** Does pieces of work one after the other, in the order in which they were given. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * A queue for what concurrent tests may not do at once: starting products takes all of the processor, while waiting for
 * their end takes none of it.
 */
export function oneAfterAnother(): Queue {
  let before: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = before.then(work)
    before = done.catch(() => undefined)
    return done
  }
}
