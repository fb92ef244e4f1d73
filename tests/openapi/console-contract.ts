import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

/** The console's types of calls and answers, which `npm run contract` writes from the OpenAPI document. */
export const CONTRACT_FILE = join(
  import.meta.dirname,
  '../../console/src/core/server-contract.gen.ts',
)

const GENERATOR = join(import.meta.dirname, 'clients/node_modules/openapi-typescript/bin/cli.js')
/** A member that has a default may be left out of a body. */
const OPTIONS = ['--immutable', '--default-non-nullable', 'false']
const HEAD = '// Written by `npm run contract` from the OpenAPI document of the server.\n'
const run = promisify(execFile)

/** TypeScript of the calls that the console may make: by path and method their bodies and their successful answers. */
export async function consoleContract(document: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'console-contract-'))
  try {
    const calls = join(folder, 'calls.json')
    const types = join(folder, 'types.ts')
    writeFileSync(calls, JSON.stringify(callsOf(JSON.parse(document))))
    await run(process.execPath, [GENERATOR, calls, '--output', types, ...OPTIONS], { cwd: folder })
    return HEAD + readFileSync(types, 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Media {
  readonly schema: Schema
}
type Content = Readonly<Record<string, Media>>
type Schema = Readonly<Record<string, unknown>>
interface Operation {
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A document of one schema for each call by its name, `GET /api/status`: an object with its body and its answer. */
const callsOf = ({ openapi, paths }: OpenApiDocument): object => ({
  openapi,
  info: { title: 'Calls', version: '1' },
  paths: {},
  components: {
    schemas: Object.fromEntries(
      Object.entries(paths)
        .filter(([path]) => path.startsWith('/api/') && path !== '/api/openapi.json')
        .flatMap(([path, operations]) =>
          Object.entries(operations).map(([method, operation]): [string, Schema] => [
            `${method.toUpperCase()} ${path}`,
            callOf(operation),
          ]),
        )
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
  },
})

function callOf({ requestBody, responses }: Operation): Schema {
  const [answer] = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => jsonOf(content))
  const [body] = requestBody === undefined ? [] : jsonOf(requestBody.content)
  const properties = { ...(body && { body }), ...(answer && { answer }) }
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** The schema of the JSON in a message, unless it is a failure's: a file is sent in its place. */
function jsonOf(content: Content): readonly Schema[] {
  const schema = content['application/json']?.schema
  return schema === undefined || isFailure(schema) ? [] : [successOf(schema)]
}

/** A schema without the failure that it offers as another choice. */
function successOf(schema: Schema): Schema {
  const choices = schema['oneOf'] ?? schema['anyOf']
  if (!Array.isArray(choices)) return schema
  const [success = schema, ...others] = choices.filter((choice: Schema) => !isFailure(choice))
  return others.length === 0 ? success : schema
}

const isFailure = ({ $ref }: Schema): boolean => $ref === '#/components/schemas/Failure'
