/** Waits for work that may take for ever, at most so long; what it comes to is not wanted any more. Fails as it does. */
export async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  // A failure that comes too late has nobody to hear it.
  work.catch(() => undefined)
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
