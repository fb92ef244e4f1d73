import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Below the build's folder; the server reads it to tell the console's own addresses from all others. */
const FILE_NAME = '.vite/pages.json'
/** Addresses as the router's generator lists them, one quoted string each. */
const ADDRESSES = /\n {2}to:\n((?: {4}\| '[^']*'\n)+)/

/** Writes the addresses of the console's screens beside the built files: a JSON list, parameters as `$name`. */
export const pageList = (): Plugin => ({
  name: 'tollgate-page-list',
  apply: 'build',
  async generateBundle() {
    const tree = await readFile(join(import.meta.dirname, '../src/routeTree.gen.ts'), 'utf8')
    const listed = ADDRESSES.exec(tree)?.[1]
    if (listed === undefined) throw new Error('src/routeTree.gen.ts lists no addresses')
    const pages = [...listed.matchAll(/'([^']*)'/g)].map(([, address]) => address)
    this.emitFile({ type: 'asset', fileName: FILE_NAME, source: JSON.stringify(pages) })
  },
})
