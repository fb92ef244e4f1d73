import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** Below the build's folder; the server reads it to tell the console's own addresses from all others. */
const FILE_NAME = '.vite/pages.json'
const EARLY = 'src/early.ts'
/** Files that main.tsx loads one after another. */
const STEPS = ['src/libraries.ts', 'src/styles.ts', 'src/start.tsx']
const ROUTES = join(import.meta.dirname, '../src/routes')
/** The component that the frame shows beside the screens of a layout, by the layout's file. */
const BESIDE: Readonly<Record<string, string>> = {
  '_signed-in.tsx': 'src/shell/side-bar-content.tsx',
}
/** The texts that a route waits for: `loader: textsOf('parts', 'log')`. */
const TEXTS = /loader: textsOf\(([^)]*)\)/
/** The module that a route reads ahead by: `beforeLoad: readingAhead(() => import('…/queries.ts'))`. */
const AHEAD = /readingAhead\([^']*import\('[./]*\/([^']*)'\)/

/** A screen: its address (parameters as `$name`) and what its browser needs beside what every page asks for anyway. */
interface Page {
  readonly address: string
  /** Files of its code, from the root of the site. */
  readonly files: readonly string[]
  /** Files of its texts, by their names in core/texts.ts. */
  readonly texts: readonly string[]
}

/** Writes the list of the console's screens beside the built files: `Page[]` as JSON. */
export const pageList = (): Plugin => ({
  name: 'tollgate-page-list',
  apply: 'build',
  // Ahead of all others, and in a file of its own: it asks for the texts while those are still on their way.
  config: () => ({ build: { rolldownOptions: { input: ['index.html', EARLY] } } }),
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const early = builtFrom(bundle, EARLY)
      const needed = loadedWith(bundle, [early, ...stepsOf(bundle)])
      needed.delete(early.fileName)
      const tags = [
        `<script type="module" crossorigin src="/${early.fileName}"></script>`,
        ...[...needed].map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
        '<script type="module"',
      ]
      return html.replace('<script type="module"', tags.join('\n    '))
    },
  },
  async generateBundle(_options, bundle) {
    const entries = Object.values(bundle).filter((file) => file.type === 'chunk' && file.isEntry)
    const everywhere = loadedWith(bundle, [...entries, ...stepsOf(bundle)])
    const files = await readdir(ROUTES, { recursive: true })
    const screens = files.filter((file) => /(?:^|\/)[^_/]+\.tsx$/.test(file)).toSorted()
    const pages = await Promise.all(
      screens.map(async (screen): Promise<Page> => {
        const parts = [...layoutsOf(screen), screen]
        const beside = parts.flatMap((part) => BESIDE[part] ?? [])
        const ahead = await readAheadBy(screen)
        const own = loadedWith(bundle, [
          ...parts.flatMap((part) => chunksOf(bundle, part)),
          ...[...beside, ...ahead].map((source) => builtFrom(bundle, source)),
        ])
        const texts = await Promise.all(parts.map(textsOf))
        return {
          address: addressOf(screen),
          files: [...own.difference(everywhere)].map((file) => `/${file}`),
          texts: [...new Set(texts.flat())],
        }
      }),
    )
    this.emitFile({ type: 'asset', fileName: FILE_NAME, source: JSON.stringify(pages) })
  },
})

const stepsOf = (bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] =>
  STEPS.map((step) => builtFrom(bundle, step))

function builtFrom(bundle: Rolldown.OutputBundle, source: string): Rolldown.OutputChunk {
  const found = Object.values(bundle).find(
    (file) => file.type === 'chunk' && file.facadeModuleId?.endsWith(source) === true,
  )
  if (found?.type !== 'chunk') throw new Error(`${source} was not built`)
  return found
}

/** `_signed-in/_admin/user.edit.$id.tsx` is at `/user/edit/$id`. */
function addressOf(screen: string): string {
  const name = screen.split('/').at(-1) ?? ''
  return `/${name
    .replace(/(?:^|\.)index\.tsx$|\.tsx$/, '')
    .split('.')
    .join('/')}`
}

/** `_signed-in.tsx` and `_signed-in/_admin.tsx` stand around `_signed-in/_admin/setting.tsx`. */
function layoutsOf(screen: string): string[] {
  const folders = screen.split('/').slice(0, -1)
  return folders.map((_, index) => `${folders.slice(0, index + 1).join('/')}.tsx`)
}

/** A route's component is split off, into a file of its own. */
function chunksOf(bundle: Rolldown.OutputBundle, route: string): Rolldown.OutputChunk[] {
  return Object.values(bundle).filter(
    (file) =>
      file.type === 'chunk' && file.facadeModuleId?.split('?')[0]?.endsWith(`/routes/${route}`),
  ) as Rolldown.OutputChunk[]
}

async function readAheadBy(route: string): Promise<string[]> {
  const named = AHEAD.exec(await readFile(join(ROUTES, route), 'utf8'))?.[1]
  return named === undefined ? [] : [`src/${named}`]
}

async function textsOf(route: string): Promise<string[]> {
  const named = TEXTS.exec(await readFile(join(ROUTES, route), 'utf8'))?.[1] ?? ''
  return [...named.matchAll(/'([^']*)'/g)].map(([, name]) => name ?? '')
}

/** The files of some chunks and of all that they import, each once. */
function loadedWith(
  bundle: Rolldown.OutputBundle,
  chunks: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[],
): Set<string> {
  const files = new Set<string>()
  const visit = (chunk: Rolldown.OutputChunk | Rolldown.OutputAsset | undefined): void => {
    if (chunk?.type !== 'chunk' || files.has(chunk.fileName)) return
    files.add(chunk.fileName)
    for (const imported of chunk.imports) visit(bundle[imported])
  }
  for (const chunk of chunks) visit(chunk)
  return files
}
