import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Manifest } from './size-rules.ts'
import { filesOf } from './size-rules.ts'

/** What is loaded before anything shows: entry, one language, the login page. Bytes of gzip. */
const FIRST = {
  entries: ['index.html', 'src/start.tsx', 'locales/zh/first.json', 'routes/login.tsx'],
  limit: 200_000,
}

/** What the first table screen adds: tables, filters and itself. */
const TABLES = { entries: ['_signed-in/token.tsx'], limit: 40_000 }

/** What is fetched when the first menu, filter or form is opened. */
const POPUPS = {
  entries: [
    'parts/menu-popup.tsx',
    'table/columns-menu.tsx',
    'list/filter-popover.tsx',
    'list/views-popover.tsx',
    'range/range-popover.tsx',
    'tokens/token-drawer.tsx',
  ],
  limit: 65_000,
}

/** What each screen after that may add. */
const FURTHER = {
  entries: [
    'routes/register.tsx',
    'routes/reset.tsx',
    'routes/user.reset.tsx',
    'routes/setup.tsx',
    'routes/oauth.$provider.tsx',
    'routes/index.tsx',
    'routes/about.tsx',
    'routes/pricing.tsx',
    '_signed-in/log.tsx',
    '_signed-in/detail.tsx',
    '_admin/channel.index.tsx',
    '_admin/redemption.tsx',
    '_admin/user.index.tsx',
    '_signed-in/personal.tsx',
    '_signed-in/topup.tsx',
    '_admin/setting.tsx',
    'pricing/price-editor.tsx',
  ],
  limit: 40_000,
}

const DIST = join(dirname(fileURLToPath(import.meta.url)), 'dist')
const manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest

const first = filesOf(manifest, FIRST.entries)
const tables = filesOf(manifest, TABLES.entries).difference(first)
const popups = filesOf(manifest, POPUPS.entries).difference(first).difference(tables)
const sizes = [
  { name: 'first load', bytes: gzipBytes(first), limit: FIRST.limit },
  { name: 'first table screen', bytes: gzipBytes(tables), limit: TABLES.limit },
  { name: 'first menus and forms', bytes: gzipBytes(popups), limit: POPUPS.limit },
  ...FURTHER.entries.map((entry) => ({
    name: entry,
    bytes: gzipBytes(
      filesOf(manifest, [entry]).difference(first).difference(tables).difference(popups),
    ),
    limit: FURTHER.limit,
  })),
]
for (const { name, bytes, limit } of sizes)
  process.stdout.write(
    `${bytes <= limit ? 'ok  ' : 'OVER'} ${kilobytes(bytes)} of ${kilobytes(limit)}  ${name}\n`,
  )
process.exitCode = sizes.every(({ bytes, limit }) => bytes <= limit) ? 0 : 1

function gzipBytes(files: ReadonlySet<string>): number {
  return [...files].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length,
    0,
  )
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`
}
