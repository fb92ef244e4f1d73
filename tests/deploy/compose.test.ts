import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { STOP_MS } from '@tollgate/infra/processes/bounds.ts'
import { readConfig, VARIABLES } from '@tollgate/infra/processes/config.ts'
import { withSharedEngines } from '@tollgate/infra/processes/engines/shared-engines.ts'
import { DCLinter } from 'dclint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { EVENTSTORE_IMAGE } from '../contract/servers.ts'
import {
  composeText,
  DEPLOY_FOLDER,
  FILLED_IN,
  readCompose,
  tollgateServices,
} from './compose-file.ts'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const compose = await readCompose()
const own = tollgateServices(compose)

/** Order is ours to choose: engines come last. Image and build together name what was built. */
const RULES = {
  'service-keys-order': 0,
  'services-alphabetical-order': 0,
  'service-dependencies-alphabetical-order': 0,
  'top-level-properties-order': 0,
  'no-build-and-image': 0,
} as const

const lintResults = z.array(
  z.object({ messages: z.array(z.object({ rule: z.string(), message: z.string() })) }),
)

/** The linter's findings in a text: the Compose Specification's JSON schema, and rules of good practice. */
async function problemsIn(text: string): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-compose-'))
  try {
    await writeFile(join(folder, 'compose.yaml'), text)
    const linter = new DCLinter({ rules: RULES, quiet: true, debug: false, exclude: [] })
    const results = lintResults.parse(linter.lintFiles([join(folder, 'compose.yaml')], false))
    return results.flatMap(({ messages }) =>
      messages.map(({ rule, message }) => `${rule}: ${message}`),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('compose.yaml', () => {
  test('given the Compose Specification, when checked, then there is nothing to say', async () => {
    expect(await problemsIn(await composeText())).toEqual([])
  })

  test.each([
    [
      'a misspelt key',
      'stop_grace_period: 30s',
      'stop_grace_time: 30s',
      /services\/api.*must NOT have additional properties/,
    ],
    ['a wrong type', 'replicas: 2', 'replicas: [two]', /replicas/],
    ['an image without a tag', 'haproxy:3.2-alpine', 'haproxy', /explicit-tag.*haproxy/],
  ])('given %s, when checked, then it is found', async (_, before, after, message) => {
    const text = await composeText()
    expect(text).toContain(before)
    expect((await problemsIn(text.replace(before, after))).join('\n')).toMatch(message)
  })

  test('given no password or key, when started, then it says which is missing', async () => {
    for (const name of Object.keys(FILLED_IN)) {
      await expect(composeText({ ...FILLED_IN, [name]: '' })).rejects.toThrow(
        new RegExp(`${name}: set it in infra/deploy/.env`),
      )
    }
  })

  test('given .env.example, when compared, then it has every variable that is asked for', async () => {
    const asked = (await readFile(`${DEPLOY_FOLDER}compose.yaml`, 'utf8')).matchAll(/\$\{(\w+)/g)
    const example = await readFile(`${DEPLOY_FOLDER}.env.example`, 'utf8')
    const given = [...example.matchAll(/^(\w+)=/gm)].map(([, name]) => name ?? '')
    const wanted = new Set([...asked].map(([, name]) => name ?? ''))
    expect(given.toSorted()).toEqual([...wanted].toSorted())
  })

  test('given its services, when counted, then every process and engine is there', () => {
    const replicas = own.map(([name, { deploy }]) => [name, deploy?.replicas ?? 1])
    expect(Object.fromEntries(replicas)).toEqual({ api: 1, relay: 2, projector: 1 })
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgres', 'eventstore', 'nats', 'proxy']),
    )
  })

  test('given services, when one depends on another, then that has a health check to wait for', () => {
    for (const { healthcheck, depends_on } of Object.values(compose.services)) {
      expect(healthcheck?.test.length).toBeGreaterThan(1)
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(compose.services[name]?.healthcheck).toBeDefined()
        expect(condition).toBe('service_healthy')
      }
    }
  })

  test('given engines, when they keep data, then in volumes that stay, and files that are mounted exist', () => {
    const mounts = Object.values(compose.services).flatMap(({ volumes }) => volumes)
    const sources = mounts.map((mount) => mount.split(':', 1)[0] ?? '')
    const named = sources.filter((source) => !source.startsWith('.'))
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted())
    expect(named).toEqual(expect.arrayContaining(['postgres', 'eventstore', 'nats', 'relay-data']))
    const files = sources.filter((source) => source.startsWith('.'))
    expect(files.filter((file) => !existsSync(join(DEPLOY_FOLDER, file)))).toEqual([])
  })

  test('given the event store, when compared with the contract tests, then it is the version that they run', () => {
    expect(compose.services['eventstore']?.image).toBe(EVENTSTORE_IMAGE)
  })
})

describe.each(own)('the service %s', (name, service) => {
  test('given its environment, when read by Tollgate, then every name is known and all engines are shared', () => {
    expect(Object.keys(service.environment).filter((key) => !isVariable(key))).toEqual([])
    const config = withSharedEngines(readConfig(service.environment))
    expect(config.eventStoreUrl).not.toBeNull()
    const hosts = [config.databaseUrl, config.eventStoreUrl ?? '', config.natsUrl]
    for (const host of hosts.map((url) => new URL(url).hostname)) {
      expect(Object.keys(compose.services)).toContain(host)
    }
  })

  test('given its command, when compared with package.json, then it is that process', () => {
    const scripts: Readonly<Record<string, string>> = manifest.scripts
    // In a script the shell makes room for the process, so that a signal to npm reaches it; the image has its environment.
    expect(`NODE_COMPILE_CACHE=node_modules/.cache/node exec ${service.command?.join(' ')}`).toBe(
      scripts[`start:${name}`],
    )
    expect(existsSync(join(REPOSITORY, service.command?.[1] ?? ''))).toBe(true)
  })

  test('given that stopping takes time, when stopped, then it gets that time', () => {
    expect(service.stop_grace_period).toMatch(/^\d+s$/)
    expect(Number.parseInt(service.stop_grace_period ?? '', 10) * 1000).toBeGreaterThan(STOP_MS)
  })
})

const isVariable = (name: string): boolean => (VARIABLES as readonly string[]).includes(name)

describe('the files beside it', () => {
  test('given nats.conf, when read, then charges are on the mounted disk and synced before they count', async () => {
    const conf = await readFile(`${DEPLOY_FOLDER}nats.conf`, 'utf8')
    const folder = /store_dir: (\S+)/.exec(conf)?.[1]
    expect(compose.services['nats']?.volumes).toContain(`nats:${folder}`)
    expect(conf).toMatch(/sync_interval: always/)
    expect(conf).toMatch(/^http_port: 8222$/m)
    const usageMb = readConfig({}).natsUsageBytesMax / 1024 / 1024
    expect(Number(/max_file_store: (\d+)GB/.exec(conf)?.[1]) * 1024).toBeGreaterThan(usageMb)
  })

  test('given haproxy.cfg, when read, then it goes to services by their port and only to ready ones', async () => {
    const conf = await readFile(`${DEPLOY_FOLDER}haproxy.cfg`, 'utf8')
    const targets = [...conf.matchAll(/server-template \S+ \d+ (\w+):(\d+) /g)]
    expect(targets.map(([, host, port]) => [host, port])).toEqual([
      ['relay', '3000'],
      ['api', '3000'],
    ])
    expect(conf.match(/option httpchk GET \/readyz/g)).toHaveLength(2)
    expect(conf).toMatch(/bind :8080/)
  })

  test('given the relay’s routes, when asked for at the proxy, then they alone go to the relays', async () => {
    const conf = await readFile(`${DEPLOY_FOLDER}haproxy.cfg`, 'utf8')
    const exact = wordsAfter(conf, 'acl is_relay path ')
    const begun = wordsAfter(conf, 'acl is_relay path_beg ')
    const pictures = wordsAfter(conf, 'acl is_picture path_beg ')
    expect(conf).toMatch(/^ *use_backend relays if is_relay !is_picture$/m)
    const isRelay = (path: string): boolean =>
      (exact.includes(path) || begun.some((prefix) => path.startsWith(prefix))) &&
      !pictures.some((prefix) => path.startsWith(prefix))
    const routes = await readFile(join(REPOSITORY, 'relay/routes.ts'), 'utf8')
    const paths = [...routes.matchAll(/'(\/[\w/.:*-]+)'/g)].map(([, path]) => path ?? '')
    expect(paths.length).toBeGreaterThan(10)
    expect(paths.filter((path) => !isRelay(path))).toEqual([])
    for (const path of ['/', '/api/status', '/v1x', '/healthz', '/mj/image/1'])
      expect(isRelay(path)).toBe(false)
  })
})

const wordsAfter = (text: string, beginning: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(beginning))
    .flatMap((line) => line.slice(beginning.length).split(' '))
