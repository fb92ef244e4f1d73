/**
 * Aborts at the first Ctrl-C or SIGTERM from now on, so that a command removes what it made before it ends; the second
 * one ends the process as it is.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () =>
      controller.abort(new Error('The command was interrupted; nothing of it is kept.')),
    )
  }
  return controller.signal
}
