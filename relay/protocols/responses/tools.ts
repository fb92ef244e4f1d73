import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '../../json.ts'
import { type ChatRequest, type Tool, Untranslatable, unsearchable } from '../chat/chat-request.ts'
import {
  contextOf,
  domainsIn,
  locationIn,
  searchBy,
  unreadMember,
  type WebSearch,
} from '../chat/web-search.ts'
import type { ToolName, ToolNames } from '../model-request.ts'
import { FREE_TEXT } from './free-text.ts'
import { toolsOf } from './prompt.ts'

/**
 * The tools of a response as the functions that other providers know. A tool of free text is a function of one text; a
 * tool of a namespace has the namespace in its name; the client's own search for tools is a function like others.
 */

/** A tool that the client runs, and its name for other providers. */
interface ClientTool extends ToolName {
  readonly sentName: string
  readonly tool: JsonObject
}

/** Tools that search the web, in all their versions. */
const SEARCH = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/

/** Functions in place of the tools; throws an Untranslatable for those that only their provider can run. */
export function readTools(body: JsonObject): readonly Tool[] {
  const given = toolsOf(body)
  const tools = new Map<string, ClientTool>()
  for (const one of clientTools(given)) {
    const known = tools.get(one.sentName)
    if (known !== undefined && !isSameTool(known, one)) {
      throw new Untranslatable('tools', `two tools have the name ${JSON.stringify(one.sentName)}`)
    }
    tools.set(one.sentName, one)
  }
  const foreign = given.find((tool) => isForeign(tool) && !isSearch(tool))
  if (foreign !== undefined) {
    const type = JSON.stringify(foreign['type'])
    throw new Untranslatable(
      'tools',
      `a tool of the type ${type} has no counterpart at this provider`,
    )
  }
  return [...tools.values()].map(functionOf)
}

/** The tools that are no plain functions, by the names that other providers know them by. */
export function toolNames(body: JsonObject): ToolNames {
  const named = clientTools(toolsOf(body)).filter(
    ({ kind, namespace }) => kind !== 'function' || namespace !== undefined,
  )
  return Object.fromEntries(
    named.map(({ sentName, name, kind, namespace }) => [
      sentName,
      { name, kind, ...(namespace !== undefined && { namespace }) },
    ]),
  )
}

/** The purposes of namespaces, told by the names of their tools at other providers. */
export const namespaceTexts = (body: JsonObject): readonly string[] =>
  toolsOf(body)
    .filter((tool) => tool['type'] === 'namespace' && textIn(tool, 'description') !== '')
    .map((tool) => `Tools named ${textIn(tool, 'name')}__*: ${textIn(tool, 'description')}`)

/** The choice of a tool; throws an Untranslatable for one that others cannot make. */
export function readToolChoice(choice: unknown): ChatRequest['toolChoice'] {
  if (choice === null || choice === 'auto' || choice === 'none' || choice === 'required')
    return choice
  if (isObject(choice) && (choice['type'] === 'function' || choice['type'] === 'custom')) {
    return { name: sentNameOf(choice) }
  }
  if (isObject(choice) && isSearch(choice)) return 'search'
  throw new Untranslatable('tool_choice', 'this tool_choice has no counterpart at this provider')
}

/** The name of a tool, or of a call of it, at other providers: that of a tool in no namespace stays. */
export function sentNameOf(tool: JsonObject): string {
  const [name, namespace] = [textIn(tool, 'name'), textIn(tool, 'namespace')]
  return namespace === '' ? name : fittingName(`${namespace}__${name}`)
}

/** The name of the client's search for tools at other providers. */
export const TOOL_SEARCH = 'tool_search'

const clientTools = (tools: readonly JsonObject[]): readonly ClientTool[] =>
  tools.flatMap((tool) => {
    if (tool['type'] !== 'namespace') return clientTool(tool, '')
    const { tools: within } = tool
    return (Array.isArray(within) ? within : [])
      .filter(isObject)
      .flatMap((one) => clientTool(one, textIn(tool, 'name')))
  })

/** None for a tool that the client does not run. */
function clientTool(tool: JsonObject, namespace: string): readonly ClientTool[] {
  const kind = kindOf(tool)
  if (kind === null) return []
  const name = kind === 'search' ? TOOL_SEARCH : textIn(tool, 'name')
  const sentName = kind === 'search' ? TOOL_SEARCH : sentNameOf({ name, namespace })
  return [{ sentName, tool, name, kind, ...(namespace !== '' && { namespace }) }]
}

function kindOf({ type, execution }: JsonObject): ToolName['kind'] | null {
  if (type === 'function' || type === 'custom') return type
  return type === 'tool_search' && execution === 'client' ? 'search' : null
}

const isSameTool = (one: ToolName, other: ToolName): boolean =>
  one.name === other.name && one.namespace === other.namespace && one.kind === other.kind

/** Whether a tool, or one of its namespace, is run by nobody but the provider. */
function isForeign(tool: JsonObject): boolean {
  const { type, tools } = tool
  if (type === 'namespace') return Array.isArray(tools) && tools.filter(isObject).some(isForeign)
  // A provider's search finds tools whose loading was deferred: here all are loaded.
  return kindOf(tool) === null && type !== 'tool_search'
}

const isSearch = ({ type }: JsonObject): boolean => SEARCH.test(String(type))
const SEARCH_READ: ReadonlySet<string> = new Set([
  'type',
  'filters',
  'search_context_size',
  'user_location',
  'external_web_access',
])
const FILTERS_READ: ReadonlySet<string> = new Set(['allowed_domains', 'blocked_domains'])

/**
 * The search of the web that a response asks for; undefined = none. Beside tools that the client runs, and not chosen, it
 * is an offer that a model need not take: one that cannot be read is left out. Its calls are all that `max_tool_calls`
 * limits, as other tools of OpenAI's have no counterpart.
 */
export function readSearch(body: JsonObject): WebSearch | undefined {
  const given = toolsOf(body)
  const tool = given.find(isSearch)
  if (tool === undefined) return undefined
  const { tool_choice: choice, max_tool_calls: limit } = body
  const isChosen = isObject(choice) && isSearch(choice)
  const isOffer = !isChosen && clientTools(given).length > 0
  const { filters, external_web_access: isLive } = tool
  const filter = isObject(filters) ? filters : {}
  const other =
    unreadMember(tool, SEARCH_READ) ??
    unreadMember(filter, FILTERS_READ) ??
    // Pages that OpenAI has read before, and no others.
    (isLive === false ? 'external_web_access' : null)
  if (other !== null) {
    if (isOffer) return undefined
    throw unsearchable({ param: 'tools' }, `${other} of a web search`)
  }
  return {
    ...searchBy('tools'),
    maxUses: typeof limit === 'number' ? limit : null,
    allowedDomains: domainsIn(filter['allowed_domains']),
    blockedDomains: domainsIn(filter['blocked_domains']),
    location: locationIn(tool['user_location']),
    context: contextOf(tool['search_context_size']),
    ...(isOffer && { isOffer }),
  }
}

function functionOf({ sentName: name, tool, kind }: ClientTool): Tool {
  const description = textIn(tool, 'description')
  if (kind === 'custom') {
    const properties = { [FREE_TEXT]: { type: 'string', description: formatOf(tool['format']) } }
    const schema = {
      type: 'object',
      properties,
      required: [FREE_TEXT],
      additionalProperties: false,
    }
    return { name, description, schema }
  }
  const { parameters, strict } = tool
  return {
    name,
    description,
    schema: isObject(parameters) ? parameters : null,
    ...(strict === true && { isStrict: true }),
  }
}

/** The grammar of a free text, in words: other providers hold no model to one. */
function formatOf(format: unknown): string {
  const whole = 'The whole input of the tool, as plain text.'
  if (!isObject(format) || format['type'] !== 'grammar') return whole
  const syntax = textIn(format, 'syntax')
  return `${whole} It must match this grammar (${syntax}):\n${textIn(format, 'definition')}`
}

/** A name that all providers take; another one with a digest, so that different names stay different. */
function fittingName(name: string): string {
  if (FITTING.test(name)) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, DIGEST_LENGTH)
  const kept = name.replaceAll(/[^\w-]/g, '_').slice(0, NAME_MAX - DIGEST_LENGTH - 1)
  return `${kept}_${digest}`
}
/** OpenAI's and Google's limit; Anthropic's is twice as much. */
const NAME_MAX = 64
const FITTING = /^[a-zA-Z_][\w-]{0,63}$/
const DIGEST_LENGTH = 8

function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}
