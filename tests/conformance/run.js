import { text } from 'node:stream/consumers'

/**
 * One client's process: `node run.js clients/openai-7/client.js` reads jobs from standard input, a JSON array of
 * `{ id, protocol, baseURL, apiKey, model, kind }`, and writes a JSON line `{ id, seen }` for each.
 */
const {
  observe,
  kinds,
  protocol = 'openai',
} = await import(new URL(process.argv[2], import.meta.url))
const jobs = JSON.parse(await text(process.stdin))

const JOB_MS = 20_000

for (const job of jobs) {
  if (job.protocol !== protocol || !kinds.includes(job.kind)) continue
  const seen = await Promise.race([
    observe(job).catch((error) => ({ error: String(error) })),
    late(),
  ])
  process.stdout.write(`${JSON.stringify({ id: job.id, seen })}\n`)
}
process.exit(0)

function late() {
  return new Promise((resolve) => {
    setTimeout(() => resolve({ error: `no answer within ${JOB_MS} ms` }), JOB_MS).unref()
  })
}
