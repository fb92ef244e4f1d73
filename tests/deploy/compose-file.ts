import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { z } from 'zod'

/** The folder of the deployment's files. */
export const DEPLOY_FOLDER = fileURLToPath(new URL('../../infra/deploy/', import.meta.url))

const service = z.looseObject({
  image: z.string(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  volumes: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  deploy: z.object({ replicas: z.int() }).optional(),
})

const compose = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.unknown()),
})

export type Compose = z.output<typeof compose>
export type Service = z.output<typeof service>

/** Names that compose.yaml asks the environment for, and what a person might have filled in. */
export const FILLED_IN: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'a1b2c3',
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
}

/** The text of compose.yaml with its variables put in, as `docker compose` does. Throws where one must be set and is not. */
export async function composeText(
  env: Readonly<Record<string, string>> = FILLED_IN,
): Promise<string> {
  const text = await readFile(`${DEPLOY_FOLDER}compose.yaml`, 'utf8')
  return text
    .split('\n')
    .map((line) => (line.trimStart().startsWith('#') ? line : interpolate(line, env)))
    .join('\n')
}

const interpolate = (line: string, env: Readonly<Record<string, string>>): string =>
  line.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind, text: string) => {
    const value = env[name]
    if (value !== undefined && value !== '') return value
    if (kind === '-') return text
    throw new Error(`${name}: ${text}`)
  })

/** compose.yaml as it is started; throws where it is not of the form that these tests know. */
export const readCompose = async (): Promise<Compose> =>
  compose.parse(parse(await composeText(), { merge: true }))

/** The services that are processes of Tollgate. */
export const tollgateServices = ({ services }: Compose): ReadonlyArray<[string, Service]> =>
  Object.entries(services).filter(([, { build }]) => build !== undefined)
