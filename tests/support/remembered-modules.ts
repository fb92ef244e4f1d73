import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { registerHooks, type ResolveFnOutput } from 'node:module'
import process from 'node:process'
import { threadId } from 'node:worker_threads'

/**
 * Preloaded by the product's processes of a test run (`productArguments`): keeps in a file of the run where each import
 * of a module leads. Searching folders and package.json files for 1,700 modules takes a third of loading them.
 */
const FILE = process.env['TOLLGATE_TEST_MODULES'] ?? ''

/** By importing module, then by how it imports and by what name. */
type Imports = Record<string, Record<string, ResolveFnOutput>>

const remembered = readImports()
const added: Imports = {}

registerHooks({
  resolve(specifier, context, resolveNext) {
    const { parentURL, conditions } = context
    if (parentURL === undefined) return resolveNext(specifier, context)
    const isRequired = conditions.includes('require')
    const name = `${isRequired ? 'require' : 'import'} ${specifier}`
    const known = remembered[parentURL]?.[name]
    if (known !== undefined) return { ...known, shortCircuit: true }
    const found = resolveNext(specifier, context)
    // `require` goes by the ending of the file's name and says no format.
    const { url, format } = found
    ;(added[parentURL] ??= {})[name] = isRequired ? { url } : { url, format }
    return found
  },
})

process.once('exit', () => {
  if (Object.keys(added).length === 0) return
  const imports = readImports()
  for (const [parent, names] of Object.entries(added))
    imports[parent] = { ...imports[parent], ...names }
  const own = `${FILE}.${process.pid}.${threadId}`
  writeFileSync(own, JSON.stringify(imports))
  renameSync(own, FILE)
})

/** Empty before the first process of the run has ended. */
function readImports(): Imports {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8')) as Imports
  } catch {
    return {}
  }
}
