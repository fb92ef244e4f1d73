import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logCaughtUp } from '../support/books.ts'
import { type Gateway, ROOT, startGateway } from '../support/gateway.ts'
import { CONTRACT_FILE, consoleContract } from './console-contract.ts'
import { pythonEnvironment, pythonPath } from '../support/python.ts'

/**
 * The OpenAPI document as programs use it: clients are generated from it and go through a day's work, and calls made up
 * from it are answered as it says.
 */
const CLIENTS = join(import.meta.dirname, 'clients')
/** Name of the folder of Python's packages, of `tests/conformance/python/requirements/openapi.txt`. */
const PACKAGES = 'openapi'
const MODEL = 'gpt-4o-mini'
/** Generating, compiling and thousands of calls take their time on a busy machine. */
const TIMEOUT_MS = 300_000
const run = promisify(execFile)
/** A program's options, as words of its command line. */
const options = (named: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(named).flatMap(([name, value]) => [`--${name}`, value])

let gateway: Gateway
let folder = ''
beforeAll(async () => {
  gateway = await startGateway({ models: [MODEL] })
  const { key } = await gateway.root.createToken({ name: 'seen' })
  const messages = [{ role: 'user' as const, content: 'hello' }]
  await gateway.openai(key).chat.completions.create({ model: MODEL, messages })
  await logCaughtUp(gateway.product, gateway.root)
  folder = mkdtempSync(join(tmpdir(), 'openapi-clients-'))
  const document = await fetch(`${gateway.product.url}/api/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await document.text())
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await gateway.stop()
})

/** Output of `clients/journey.*`. */
const DONE = { refused: 'credentials_wrong', id: 1, models: [MODEL] }
const WHO = [ROOT.username, ROOT.password] as const

test(
  'given the document, when TypeScript’s client is generated, then it compiles and works',
  async () => {
    const node = (...args: string[]) => run(process.execPath, args, { cwd: folder })
    const program = (path: string): string => join(CLIENTS, 'node_modules', path)
    const generated = { input: 'openapi.json', output: 'api', client: '@hey-api/client-fetch' }
    await node(program('@hey-api/openapi-ts/bin/run.js'), ...options(generated), '--silent')
    for (const file of ['journey.ts', 'tsconfig.json'])
      cpSync(join(CLIENTS, file), join(folder, file))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    await node(program('typescript/bin/tsc'), '--project', '.')
    const { stdout } = await node('made/journey.js', gateway.product.url, ...WHO)
    const done = JSON.parse(stdout)
    expect(done).toMatchObject(DONE)
    expect(await gateway.root.send('GET', `/api/token/${done.token}`)).toMatchObject({
      data: { name: 'by typescript' },
    })
  },
  TIMEOUT_MS,
)

test(
  'given the document, when the console’s types are made of it, then they are the committed ones',
  async () => {
    const document = readFileSync(join(folder, 'openapi.json'), 'utf8')
    const isCurrent = (await consoleContract(document)) === readFileSync(CONTRACT_FILE, 'utf8')
    expect(isCurrent, '`npm run contract` writes them anew').toBe(true)
  },
  TIMEOUT_MS,
)

const inPython = (...args: string[]) =>
  run(pythonPath() ?? '', args, { cwd: folder, env: pythonEnvironment(PACKAGES) })

test.skipIf(pythonPath() === undefined)(
  'given the document, when Python’s client is generated, then it works',
  async () => {
    const to = ['--output-path', 'tollgate_api', '--meta', 'none']
    await inPython('-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', ...to)
    cpSync(join(CLIENTS, 'journey.py'), join(folder, 'journey.py'))
    const { stdout } = await inPython('journey.py', gateway.product.url, ...WHO)
    const done = JSON.parse(stdout)
    expect(done).toMatchObject(DONE)
    expect(await gateway.root.send('GET', `/api/token/${done.token}`)).toMatchObject({
      data: { name: 'by python' },
    })
  },
  TIMEOUT_MS,
)

/** Addresses that are not asked at random: they end the caller’s own access, or ask somebody else’s server. */
const LEFT_OUT = [
  '/api/user/(self|token|logout)$',
  '/api/channel/(test|fetch_models|update_balance)',
  '/api/(update|oauth/|option/oidc_discovery|status/test)',
  // Not the console's: tests/conformance has the relay's.
  '/(v1|v1beta|pg)/',
]
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]

test.skipIf(pythonPath() === undefined)(
  'given the document, when calls are made up from it, then schemathesis finds nothing',
  async () => {
    const { root, product } = gateway
    await root.setOptions({ AccessTokenRateLimit: '1000000' })
    const accessToken = String((await root.send('GET', '/api/user/token')).data)
    const report = join(folder, 'findings.json')
    const asked = options({
      url: product.url,
      'exclude-path-regex': `^(${LEFT_OUT.join('|')})`,
      checks: CHECKS.join(','),
      mode: 'all',
      phases: 'examples,fuzzing',
      'max-examples': '5',
      seed: '1',
      workers: '2',
      'request-timeout': '60',
      warnings: 'off',
      report: 'json',
      'report-json-path': report,
    })
    const headers = { authorization: accessToken, 'new-api-user': String(root.userId) }
    const asRoot = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}:${value}`])
    const program = ['-m', 'schemathesis.cli', 'run', 'openapi.json', '--continue-on-failure']
    // It ends with 1 where it finds something; the report says what.
    await inPython(...program, ...asked, ...asRoot).catch(() => undefined)
    const found = JSON.parse(readFileSync(report, 'utf8'))
    expect(found).toMatchObject({ failures: [] })
    // The caller was still let in at the end: what was asked was asked with their rights.
    const self = await fetch(`${product.url}/api/user/self`, { headers })
    expect(await self.json()).toMatchObject({ success: true })
  },
  TIMEOUT_MS,
)
