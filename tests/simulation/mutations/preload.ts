import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { mutated } from './mutation.ts'
import { mutations } from './mutations.ts'

/**
 * Breaks one rule in a process of its own: `node --import` this file, with SIMULATION_MUTATION naming the mutation.
 * The files are changed as they are loaded; on disk nothing changes.
 */
const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
const id = process.env['SIMULATION_MUTATION'] ?? ''
const mutation = mutations.find((one) => one.id === id)
if (mutation === undefined) throw new TypeError(`no mutation is called '${id}'`)
const editsByUrl = Map.groupBy(mutation.edits, ({ file }) => pathToFileURL(REPOSITORY + file).href)

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const edits = editsByUrl.get(url)
    if (edits === undefined) return loaded
    const source = typeof loaded.source === 'string' ? loaded.source : textOf(loaded.source)
    return { ...loaded, source: mutated(source, edits) }
  },
})

function textOf(source: ArrayBuffer | NodeJS.TypedArray | undefined): string {
  if (source === undefined) throw new TypeError('a file was loaded without its text')
  return new TextDecoder().decode(source)
}
