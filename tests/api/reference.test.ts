import type { ApiRoute, Schema } from '@tollgate/command-api/http-contract/api-route.ts'
import { openApiPath } from '@tollgate/infra/http/openapi/document.ts'
import { RELAY_OPERATIONS } from '@tollgate/relay/reference.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { noteShifts, shiftsOn } from '../browser/layout-shifts.ts'
import { openChromium, openPage } from '../support/browser/browser.ts'
import { startWholeTollgate, type WholeTollgate } from '../support/whole-tollgate.ts'

let whole: WholeTollgate
let routes: readonly ApiRoute[]

beforeAll(async () => {
  whole = await startWholeTollgate()
  routes = whole.tollgate.routes
}, 60_000)
afterAll(() => whole.stop(), 30_000)

const nameOf = ({ method, path }: ApiRoute): string => `${method} ${path}`

/** Why a value does not fit; null when it does, or when there is neither schema nor value. */
async function misfit(schema: Schema<unknown> | undefined, value: unknown): Promise<string | null> {
  if (schema === undefined) return value === undefined ? null : 'an example without a schema'
  const result = await schema['~standard'].validate(value)
  return result.issues === undefined ? null : JSON.stringify(result.issues)
}

async function gapsOf(route: ApiRoute): Promise<readonly string[]> {
  const { answer, example = {} } = route
  if (route.summary.trim() === '') return ['no summary']
  if (answer === undefined) return ['no answer']
  const extras = Object.keys({ ...answer.extra, ...example.extra })
  const parts: ReadonlyArray<readonly [string, Schema<unknown> | undefined, unknown]> = [
    ['params', route.params, route.params === undefined ? example.params : (example.params ?? {})],
    ['query', route.query, route.query === undefined ? example.query : (example.query ?? {})],
    ['body', route.body, example.body],
    ['data', answer.data, example.data],
    ['whole', answer.whole, example.whole],
    ...extras.map((name) => [name, answer.extra?.[name], example.extra?.[name]] as const),
  ]
  const misfits = await Promise.all(
    parts.map(async ([name, schema, value]) => {
      const why = await misfit(schema, value)
      return why === null ? null : `${name}: ${why}`
    }),
  )
  return misfits.filter((one) => one !== null)
}

test('given every route, when looked at, then it has a summary, answers and a fitting example', async () => {
  expect(routes.length).toBeGreaterThan(70)
  const gaps = await Promise.all(routes.map(async (route) => [nameOf(route), await gapsOf(route)]))
  expect(gaps.filter(([, ofRoute]) => ofRoute?.length !== 0)).toEqual([])
})

const operation = z.looseObject({ summary: z.string(), operationId: z.string() })
const document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
})

test('given a visitor, when they load the document, then every route of console and relay is in it once', async () => {
  const answer = await fetch(`${whole.tollgate.url}/api/openapi.json`)
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  const { paths } = document.parse(await answer.json())
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = [
    ...routes.map(({ method, path }) => `${method} ${openApiPath(path)}`),
    ...RELAY_OPERATIONS.map(({ method, path }) => `${method} ${path}`),
  ]
  expect(described.toSorted()).toEqual(served.toSorted())
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
})

test('given the relay, when asked for what the document says of it, then each of its calls is mounted', () => {
  const { http } = whole.tollgate
  const missing = RELAY_OPERATIONS.filter(
    ({ method, path }) =>
      ![path.replace(/\{\w+\}(:\w+)?$/, '*'), path.replaceAll(/\{(\w+)\}/g, ':$1')].some((url) =>
        http.hasRoute({ method, url }),
      ),
  )
  expect(missing).toEqual([])
})

test('given the document, when an OpenAPI validator reads it, then it finds nothing', async () => {
  const answer = await fetch(`${whole.tollgate.url}/api/openapi.json`)
  const { errors } = await new Validator().validate(z.looseObject({}).parse(await answer.json()))
  expect(errors ?? []).toEqual([])
})

/** As much of a JSON Schema as its members' descriptions need. */
const schemaNode = z.looseObject({
  description: z.string().optional(),
  get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof schemaNode>> {
    return z.record(z.string(), schemaNode).optional()
  },
  get items(): z.ZodOptional<typeof schemaNode> {
    return schemaNode.optional()
  },
  get anyOf(): z.ZodOptional<z.ZodArray<typeof schemaNode>> {
    return z.array(schemaNode).optional()
  },
})
type SchemaNode = z.output<typeof schemaNode>

/** Names and descriptions of the members of a body, at every depth: `filters.users`. */
const membersOf = (schema: SchemaNode, prefix = ''): ReadonlyArray<readonly [string, string]> => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [`${prefix}${name}`, member.description ?? ''] as const,
    ...membersOf(member, `${prefix}${name}.`),
  ]),
  ...(schema.items === undefined ? [] : membersOf(schema.items, `${prefix}[].`)),
  ...(schema.anyOf ?? []).flatMap((one) => membersOf(one, prefix)),
]

const readOperation = z.looseObject({
  tags: z.array(z.string()),
  parameters: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional() }))
    .default([]),
  requestBody: z
    .looseObject({
      content: z.looseObject({ 'application/json': z.looseObject({ schema: schemaNode }) }),
    })
    .optional(),
})
const readDocument = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), readOperation)),
})

test('given the document, when a console call is looked up, then each parameter and member is described', async () => {
  const answer = await fetch(`${whole.tollgate.url}/api/openapi.json`)
  const { paths } = readDocument.parse(await answer.json())
  const read = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => !tags.includes('relay'))
      .flatMap(([method, { parameters, requestBody }]) => {
        const body = requestBody?.content['application/json'].schema
        return [
          ...parameters.map(({ name, description }) => [name, description ?? ''] as const),
          ...(body === undefined ? [] : membersOf(body)),
        ].map(([name, description]) => ({ of: `${method} ${path} ${name}`, description }))
      }),
  )
  expect(read.length).toBeGreaterThan(400)
  expect(read.filter(({ description }) => description.trim() === '')).toEqual([])
})

/** A page of so many calls draws those in view alone; its filter brings others there. */
async function showsTokenCalls(page: Page): Promise<void> {
  await page.getByPlaceholder('Filter by tag or path').fill('token')
  await page.getByText('Make an API token; its key is in the list').waitFor()
}

test('given a visitor, when they open the reference page, then it works without other sites', async () => {
  const browser = await openChromium()
  try {
    const view = { language: 'en', theme: 'light', width: 1280 } as const
    const seen = await openPage(browser, whole.tollgate.url, view)
    const { page } = seen
    const strangers: string[] = []
    page.on('request', (request) => {
      const isOwn =
        request.url().startsWith(whole.tollgate.url) || request.url().startsWith('data:')
      if (!isOwn) strangers.push(request.url())
    })
    await page.goto('/api/docs')
    await showsTokenCalls(page)
    seen.expectNoComplaint()
    expect(strangers).toEqual([])
  } finally {
    await browser.close()
  }
})

test.each(['light', 'dark'] as const)(
  'given the console in %s, when the reference page is opened, then it is so too and suits axe',
  async (theme) => {
    const browser = await openChromium()
    try {
      const view = { language: 'en', theme, width: 360 } as const
      const seen = await openPage(browser, whole.tollgate.url, view)
      const { page } = seen
      await noteShifts(page.context(), 1)
      await page.goto('/api/docs')
      await page.locator('.opblock').first().waitFor()
      await seen.expectAccessible()
      const shifts = await shiftsOn(page)
      expect(shifts.reduce((sum, { value }) => sum + value, 0)).toBeLessThanOrEqual(0.02)
      await showsTokenCalls(page)
      await seen.expectAccessible()
      expect(await page.locator('html.dark-mode').count()).toBe(theme === 'dark' ? 1 : 0)
    } finally {
      await browser.close()
    }
  },
)
