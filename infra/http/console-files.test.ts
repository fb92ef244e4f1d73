import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtConsole, serveConsole } from './console-files.ts'

/** The console's files as a browser gets them, from a build of a few bytes. */
const CODE = 'export const answer = 42'
let folder = ''
let app: FastifyInstance

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-console-'))
  await mkdir(join(folder, 'assets'))
  await mkdir(join(folder, '.vite'))
  const pages = [
    { address: '/', files: [], texts: [] },
    { address: '/log', files: ['/assets/log-1.js', '/assets/table-2.js'], texts: ['parts', 'log'] },
  ]
  await writeFile(join(folder, '.vite/pages.json'), JSON.stringify(pages))
  await writeFile(
    join(folder, 'index.html'),
    '<!doctype html><html lang="zh"><head><title>Tollgate</title></head><body></body></html>',
  )
  await writeFile(join(folder, 'assets/log-1.js'), CODE)
  await writeFile(join(folder, 'assets/log-1.js.br'), brotliCompressSync(CODE))
  app = fastify()
  await serveConsole(app, builtConsole(folder))
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true })
})

test('given a screen, when its page is opened, then it names the files and texts that the screen needs', async () => {
  const { body, headers } = await app.inject('/log')
  expect(headers['cache-control']).toBe('no-cache')
  expect(body).toContain('<html data-texts="parts log" lang="zh">')
  expect(body).toContain(
    '<link rel="modulepreload" crossorigin href="/assets/log-1.js" />' +
      '<link rel="modulepreload" crossorigin href="/assets/table-2.js" /></head>',
  )
})

test('given a screen that needs nothing of its own, when its page is opened, then it names nothing', async () => {
  const { body } = await app.inject('/')
  expect(body).toContain('<html data-texts="" lang="zh">')
  expect(body).not.toContain('modulepreload')
})

test('given a file that the build compressed, when a browser takes Brotli, then it gets those bytes', async () => {
  const url = '/assets/log-1.js'
  const small = await app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
  expect(small.headers['content-encoding']).toBe('br')
  expect(small.headers['content-type']).toMatch(/javascript/u)
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe(CODE)
  const plain = await app.inject({ url, headers: { 'accept-encoding': 'identity' } })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.body).toBe(CODE)
})

test('given a console that another version built, when it is opened, then it says what to run', async () => {
  const other = await mkdtemp(join(tmpdir(), 'tollgate-console-'))
  const served = fastify()
  try {
    await mkdir(join(other, '.vite'))
    await writeFile(join(other, '.vite/pages.json'), '["/","/log"]')
    await writeFile(join(other, 'index.html'), '<!doctype html>')
    await serveConsole(served, builtConsole(other))
    expect((await served.inject('/')).body).toMatch(/npm run build -w console/u)
  } finally {
    await served.close()
    await rm(other, { recursive: true })
  }
})
