import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Manifest } from './size-rules.ts'
import { filesOf } from './size-rules.ts'

/** Files loaded before anything shows: entry, one language, the login page. The limit is in bytes of gzip. */
const FIRST = {
  entries: ['index.html', 'src/start.tsx', 'locales/zh/first.json', 'routes/login.tsx'],
  limit: 200_000,
}

/** Files that the first table screen adds: tables, filters and itself. */
const TABLES = { address: '/token', limit: 40_000 }

/** Files fetched when the first menu, filter or form opens, with the styles of all these. */
const POPUPS = {
  entries: [
    'parts/menu-popup.tsx',
    'table/columns-menu.tsx',
    'list/filter-popover.tsx',
    'list/views-popover.tsx',
    'range/range-popover.tsx',
    'tokens/token-drawer.tsx',
  ],
  limit: 70_000,
}

/** Limit of each screen after that with its texts, for somebody who has opened no menu and no form so far. */
const FURTHER_LIMIT = 40_000

/** Modules that screens fetch once they are drawn, or when somebody asks for them. */
const ON_DEMAND = [
  { entry: 'pricing/price-editor.tsx', limit: 40_000 },
  { entry: 'dashboard/sources/sources.tsx', limit: 40_000 },
  { entry: 'charts/chart-pointed-bars.tsx', limit: 120_000 },
  { entry: 'markdown/markdown.tsx', limit: 120_000 },
]

/** The size of one part of the built console, in bytes of gzip. */
export interface ConsoleSize {
  /** Address of a screen, or what else is weighed. */
  readonly name: string
  readonly bytes: number
  readonly limit: number
}

/** A screen, as dev/page-list.ts writes it. */
interface Page {
  readonly address: string
  readonly files: readonly string[]
  /** Names of its texts. */
  readonly texts: readonly string[]
}

const DIST = join(dirname(fileURLToPath(import.meta.url)), 'dist')

/** Weighs the built console in console/dist: its first load, and what each screen adds to it. */
export function consoleSizes(): readonly ConsoleSize[] {
  const manifest = readBuilt('manifest.json') as Manifest
  const pages = readBuilt('pages.json') as Page[]
  const first = filesOf(manifest, FIRST.entries)
  const page = (address: string): Set<string> => pageFiles(manifest, pages, address)
  const tables = page(TABLES.address).difference(first)
  const before = first.union(tables)
  const popups = filesOf(manifest, POPUPS.entries).difference(before)
  const known = before.union(popups)
  return [
    { name: 'first load', bytes: gzipBytes(first), limit: FIRST.limit },
    {
      name: `first table screen, ${TABLES.address}`,
      bytes: gzipBytes(tables),
      limit: TABLES.limit,
    },
    { name: 'first menus and forms', bytes: gzipBytes(popups), limit: POPUPS.limit },
    ...pages
      .map(({ address }) => address)
      .filter((address) => address !== TABLES.address)
      .map((address) => ({
        name: address,
        bytes: gzipBytes(page(address).difference(before)),
        limit: FURTHER_LIMIT,
      })),
    ...ON_DEMAND.map(({ entry, limit }) => ({
      name: entry,
      bytes: gzipBytes(filesOf(manifest, [entry]).difference(known)),
      limit,
    })),
  ]
}

function readBuilt(name: string): unknown {
  return JSON.parse(readFileSync(join(DIST, '.vite', name), 'utf8'))
}

/** The code of a screen and its texts in Chinese. */
function pageFiles(manifest: Manifest, pages: readonly Page[], address: string): Set<string> {
  const page = pages.find((candidate) => candidate.address === address)
  if (page === undefined) throw new Error(`The build holds no screen at ${address}.`)
  const texts = page.texts.map((name) => `locales/zh/${name}.json`)
  return new Set(page.files.map((file) => file.slice(1))).union(filesOf(manifest, texts))
}

function gzipBytes(files: ReadonlySet<string>): number {
  return [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length,
    0,
  )
}
