import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isNavigation } from './is-navigation.ts'
import { answerUnknown } from './unknown-address.ts'

const YEAR_SECONDS = 31_536_000

/** The built console: where its files lie, and its screens. */
export interface BuiltConsole {
  readonly folder: string
  readonly pages: readonly Page[]
}

/** A screen: its address as a route of the server, and the page that its browser gets. */
interface Page {
  readonly address: string
  readonly html: string
}

/**
 * The build's description of a screen: the files of its code, from the root of the site, and the names of its texts.
 */
const SCREEN = z.object({
  address: z.string(),
  files: z.array(z.string()),
  texts: z.array(z.string()),
})

/** Reads what the build left in a folder; null when the console is not built there, or was by another version. */
export function builtConsole(folder: string): BuiltConsole | null {
  const list = join(folder, '.vite', 'pages.json')
  if (!existsSync(list)) return null
  const { data: screens } = z.array(SCREEN).safeParse(JSON.parse(readFileSync(list, 'utf8')))
  if (screens === undefined) return null
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  return {
    folder,
    pages: screens.map((screen) => ({
      address: screen.address.replaceAll('$', ':'),
      html: withNeeds(html, screen),
    })),
  }
}

/** Names in a page what its screen needs: the browser asks for all at once, instead of for each when it is missed. */
function withNeeds(html: string, { files, texts }: z.infer<typeof SCREEN>): string {
  const links = files.map((file) => `<link rel="modulepreload" crossorigin href="${file}" />`)
  return html
    .replace('<html', `<html data-texts="${texts.join(' ')}"`)
    .replace('</head>', `${links.join('')}</head>`)
}

/**
 * Serves the built console: hashed assets for a year, its page never from a cache and at the addresses of its screens
 * alone. A person who opens another address sees the page, too, which says that there is nothing: with status 404.
 */
export async function serveConsole(
  app: FastifyInstance,
  built: BuiltConsole | null,
): Promise<void> {
  if (built === null) {
    app.get('/', (_request, reply) => reply.send(NOT_BUILT))
    app.setNotFoundHandler(answerUnknown)
    return
  }
  await app.register(fastifyStatic, {
    root: built.folder,
    serve: false,
    index: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders: (reply, path) => {
      const isHashed = path.includes('/assets/')
      reply.header(
        'Cache-Control',
        isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      )
    },
  })
  const files = filesIn(built.folder)
  // One route for the hundreds of assets: a route for each took a seventh of the server's start.
  app.get<{ Params: { '*': string } }>('/assets/*', ({ params }, reply) => {
    const file = `assets/${params['*']}`
    return files.has(file) ? reply.sendFile(file) : reply.callNotFound()
  })
  for (const file of files) {
    if (!file.startsWith('assets/')) app.get(`/${file}`, (_request, reply) => reply.sendFile(file))
  }
  for (const page of built.pages) {
    app.get(page.address, (_request, reply) => reply.headers(PAGE_HEADERS).send(page.html))
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (request.method !== 'GET' || !isNavigation(request)) return answerUnknown(request, reply)
    // Not by sendFile: a plugin of another scope may have given up the request, whose replies do not have it.
    const page = await readFile(join(built.folder, 'index.html'))
    return reply.status(404).headers(PAGE_HEADERS).send(page)
  })
}

/** Paths of the files in a folder and below, with slashes. */
function filesIn(folder: string): ReadonlySet<string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/')),
  )
}

const PAGE_HEADERS = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' }
const NOT_BUILT =
  'The console is not built, or was by another version. Run this and start again: npm run build -w console'
