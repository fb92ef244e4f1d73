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
  await writeFile(join(folder, 'icon.svg'), '<svg/>')
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

test('given a hashed file, when a browser gets it, then it may keep it for a year', async () => {
  const { headers, statusCode } = await app.inject('/assets/log-1.js')
  expect(statusCode).toBe(200)
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect((await app.inject({ method: 'HEAD', url: '/assets/log-1.js' })).statusCode).toBe(200)
})

test('given a file beside the hashed ones, when a browser gets it, then it asks for it anew', async () => {
  const { body, headers } = await app.inject('/icon.svg')
  expect(body).toBe('<svg/>')
  expect(headers['cache-control']).toBe('no-cache')
})

test.each([
  '/assets/log-2.js',
  '/assets/',
  '/assets/..%2ficon.svg',
  '/assets/..%2f..%2fsecret',
  '/assets/%00',
])('given no file at %s, when a script asks for it, then the answer is 404', async (url) => {
  const { body, statusCode } = await app.inject({ url, headers: { 'sec-fetch-mode': 'cors' } })
  expect(statusCode).toBe(404)
  expect(body).toContain('Invalid URL')
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
