import { startStandInUpstream } from '@tollgate/infra/demo/stand-in-upstream.ts'

/**
 * The stand-in upstream as a process of its own, so that it does not share a thread with what is measured. The model
 * `gpt-4o` streams like a real one, a word every 20 ms; every other model answers at once. Prints its URL.
 */
const upstream = await startStandInUpstream({
  remembers: false,
  latency: ({ model }) =>
    model === 'gpt-4o' ? { firstByteMs: 100, perTokenMs: 20 } : { firstByteMs: 0, perTokenMs: 0 },
})
process.stdout.write(`${upstream.url}\n`)
