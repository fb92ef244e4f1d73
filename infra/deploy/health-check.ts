/**
 * Whether the process in this container can serve: exit code 0, or 1 with the reason on the standard output, where
 * `docker inspect` shows it.
 */
const port = process.env['PORT'] ?? '3000'

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(4_000),
  })
  process.stdout.write(`${await answer.text()}\n`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
