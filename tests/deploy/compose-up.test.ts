import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import {
  DockerComposeEnvironment,
  getContainerRuntimeClient,
  type StartedDockerComposeEnvironment,
} from 'testcontainers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConsoleClient } from '../support/console-client.ts'
import { until } from '../support/processes.ts'
import { DEPLOY_FOLDER } from './compose-file.ts'

/** compose.yaml started for real, with real engines. Needs Docker; without it only the other tests here speak for it. */
const hasDocker = await getContainerRuntimeClient().then(
  () => true,
  () => false,
)
if (!hasDocker) {
  process.stdout.write('compose.yaml was not started: no Docker engine answers\n')
}

/** Images are built and pulled when they are not there yet. */
const START_MS = 900_000
const REQUESTS = 40
const MODEL = 'gpt-4o-mini'

describe.skipIf(!hasDocker)('compose.yaml, started', () => {
  let environment: StartedDockerComposeEnvironment
  let url: string

  beforeAll(async () => {
    const upstream = fileURLToPath(new URL('upstream.compose.yaml', import.meta.url))
    environment = await new DockerComposeEnvironment(DEPLOY_FOLDER, ['compose.yaml', upstream])
      .withBuild()
      .withStartupTimeout(START_MS)
      .withEnvironment({
        POSTGRES_PASSWORD: randomBytes(16).toString('hex'),
        MASTER_KEY: randomBytes(32).toString('base64'),
        // Any port that is free.
        PUBLISH: '127.0.0.1:',
      })
      .up()
    const proxy = environment.getContainer('proxy-1')
    url = `http://${proxy.getHost()}:${proxy.getMappedPort(8080)}`
  }, START_MS)
  afterAll(() => environment.down({ removeVolumes: true }).then(() => undefined), START_MS)

  test('given a channel and a token, when the SDK asks both relays, then every answer is charged once', async () => {
    await until('the API is ready', () => isReady(url), 60_000)
    const root = new ConsoleClient(url)
    await root.setUp('root', 'long-enough-1')
    await root.logIn('root', 'long-enough-1')
    await root.addChannel({
      name: 'steady',
      key: 'sk-steady',
      base_url: 'http://upstream:8080',
      models: MODEL,
    })
    const { key } = await root.createToken({ name: 'compose' })
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: `sk-${key}`, maxRetries: 5 })

    const { result } = await root.chargesOf(REQUESTS, () => askManyTimes(openai))
    expect(result).toEqual(Array.from({ length: REQUESTS }, () => true))
    expect(await root.chargesLogged()).toBe(REQUESTS)
  }, 120_000)
})

async function askManyTimes(openai: OpenAI): Promise<readonly boolean[]> {
  const ask = async (): Promise<boolean> => {
    const answer = await openai.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'x' }],
    })
    return (answer.choices[0]?.message.content ?? '') !== ''
  }
  return Promise.all(Array.from({ length: REQUESTS }, ask))
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    async (answer) => {
      await answer.body?.cancel()
      return answer.ok
    },
    () => false,
  )
