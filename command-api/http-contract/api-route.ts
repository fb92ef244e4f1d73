import { LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { Role } from '@tollgate/domain/user/events.ts'
import type { Language } from './language.ts'

/**
 * A console API route as data: packages export lists of these, and the HTTP server (infra/http) mounts them: it
 * authenticates, waits for the caller's own writes, validates, calls `handle`, and wraps the answer into the envelope
 * `{success, message, data}`. The same lists give the OpenAPI document and the table of routes.
 */
export interface ApiRoute<Params = unknown, Query = unknown, Body = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * With the prefix `/api`, but for pictures, and Fastify's parameter syntax: `/api/token/:id`. Served with and without
   * a trailing slash.
   */
  readonly path: string
  readonly access: Access
  /** One line for the API reference. */
  readonly summary: string
  /** Further sentences for the API reference, which callers have to know. */
  readonly details?: string
  /** Read models that must have seen the caller's latest write before `handle` runs. */
  readonly reads?: readonly string[]
  /** Counts against the critical limit (20 per 20 minutes and address). */
  readonly isCritical?: boolean
  /**
   * Pages of any site may call it and read the answer (CORS): the caller brings a key or an unguessable address, and no
   * cookie is looked at.
   */
  readonly isForAnySite?: boolean
  /**
   * Whether a call leaves something changed, so that a demo site turns it away; by default whatever is no GET. Signing
   * in and out does not count.
   */
  readonly changesState?: boolean
  /** Whether a demo site calls the handler all the same, which itself refuses forbidden changes; default false. */
  readonly isOpenOnDemoSite?: boolean
  readonly params?: Schema<Params>
  readonly query?: Schema<Query>
  readonly body?: Schema<Body>
  /** The answer of a call that succeeds. The API reference shows it; tests/api holds real answers against it. */
  readonly answer?: Answer
  /**
   * The same list as a file, for requests with `Accept: text/csv`, or as JSON lines
   * (`application/x-ndjson`): all that is filtered, whatever page is asked for.
   */
  readonly csv?: CsvList<Params, Query, Body>
  /** HTTP statuses of this route's own failures, beside those that every route of its kind may answer. */
  readonly failureStatuses?: readonly FailureStatus[]
  /** One call and its answer, for the API reference; each part fits the schema of its name. */
  readonly example?: Example
  /** Sent with success=false when the body does not fit its schema; default 无效的参数. */
  readonly invalidBodyMessage?: string
  /** HTTP status that goes with it; default 200. */
  readonly invalidBodyStatus?: number
  /** Sent instead, where a route has no envelope of the usual form (console-api 1.1). */
  readonly invalidBodyReply?: ApiReply
  handle(request: ApiRequest<Params, Query, Body>): Promise<ApiReply>
}

/** Ties the types of one route's schemas and handler together; adds nothing at run time. */
export const route = <Params, Query, Body>(definition: ApiRoute<Params, Query, Body>): ApiRoute =>
  definition

/** HTTP statuses of failures that have an envelope. All other failures answer 200 with success=false. */
export type FailureStatus = 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 422 | 429 | 500 | 503

/** none / the session if there is one / signed in / role ≥ 10 / role ≥ 100. */
export type Access = 'public' | 'visitor' | 'user' | 'admin' | 'root'

/**
 * A validator that can say itself as JSON Schema, by the conventions of https://standardschema.dev, which zod's schemas
 * follow.
 */
export interface Schema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema: {
      readonly output: (options: {
        readonly target: 'draft-2020-12'
        readonly libraryOptions?: Record<string, unknown>
      }) => Record<string, unknown>
    }
  }
}
type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string }> }

/**
 * `{}` = the bare envelope. Otherwise the schema of its `data`, of keys beside it (`extra`, such as `time`), or of the
 * `whole` body where a route answers without envelope; a text is sent as text/plain. `file` lists the types of the bytes
 * that are sent instead of all that. `failure` is the body of failures that are no envelope.
 */
export interface Answer {
  readonly data?: Schema<unknown>
  readonly extra?: Readonly<Record<string, Schema<unknown>>>
  readonly whole?: Schema<unknown>
  readonly file?: readonly string[]
  readonly failure?: Schema<unknown>
  /** HTTP status of success; default 200. */
  readonly status?: number
}

/** A list that can be sent as CSV. Keys and other secrets are no columns. */
export interface CsvList<Params = unknown, Query = unknown, Body = unknown> {
  /** Name of the file, without `.csv`. */
  readonly name: string
  /** Names of members of the rows, in order; they are the first line. */
  readonly columns: readonly string[]
  /** Why the list is refused; null = it is not. A file that has begun cannot say so any more. */
  refusal?(request: ApiRequest<Params, Query, Body>): Promise<ApiReply | null>
  /** All rows, in the order of the list; a batch is read when the client has taken the one before. */
  batches(request: ApiRequest<Params, Query, Body>): AsyncIterable<readonly CsvRow[]>
}

export type CsvRow = Readonly<Record<string, string | number | boolean | null>>

/** Values as they travel: body as JSON, query and params as texts, answers as in `Answer`. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly message?: string
  readonly data?: unknown
  readonly extra?: Readonly<Record<string, unknown>>
  readonly whole?: unknown
}

export interface ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The user who is signed in. Present on every route with access user, admin or root. */
  readonly caller: Caller | null
  readonly ip: string
  /** The header User-Agent, as text that can be stored and shown; '' without one. */
  readonly userAgent: string
  readonly requestId: string
  readonly command: RequestCommand
  /** The session cookie's value; null without one. */
  readonly sessionToken: string | null
  /** The visitor cookie's value, which a browser has before it signs in; null without one. */
  readonly visitorToken: string | null
  /** The cookie of a browser in which a user has signed in before, sent at the next sign-in; null without one. */
  readonly knownBrowserToken: string | null
  readonly sentFrom: SentFrom
  /** The header New-Api-User, which no page of another host can make a browser send. Null without one. */
  readonly newApiUser: string | null
  /** A browser opens this as a page: by a link of whatever site, or the address bar. */
  readonly isNavigation: boolean
  /**
   * Same origin and scheme as the browser sees, such as `https://gate.example.com`: a host and perhaps a port, but one
   * that the sender names. Nothing that is signed, stored or shown to others may be made of it.
   */
  readonly origin: string
  /** Language of mails and notices that follow. */
  readonly language: Language
}

/**
 * The identity of a request's command. With the header Idempotency-Key it is the same for each repetition, so that one
 * whose answer was lost finds what the first has done.
 */
export interface RequestCommand {
  /** Becomes the causation id of the events that follow. Null without a key: then it is like no other request. */
  readonly id: string | null
  /** Nothing that the command changed stands at this position of the log or before. */
  readonly since: () => Promise<Position>
  /**
   * Ids of the rows that the command makes, once a command: those of the first time, while they can still be used. They
   * travel as JSON.
   */
  readonly reserve: <Ids>(
    make: () => Promise<Ids>,
    isThere?: (ids: Ids) => Promise<boolean>,
  ) => Promise<Ids>
}

/** The identity of a request without a key. */
export const UNNAMED_COMMAND: RequestCommand = {
  id: null,
  since: () => Promise.resolve(LOG_START),
  reserve: (make) => make(),
}

/** Whether repetitions of a call are known by the header Idempotency-Key. */
export const takesIdempotencyKey = ({
  method,
  changesState,
}: Pick<ApiRoute, 'method' | 'changesState'>): boolean => method !== 'GET' && changesState !== false

/**
 * The source of a browser's request, as far as the browser says (Sec-Fetch-Site, else Origin). `own-page`: a page of
 * this very host. `address-bar`: an address typed, a bookmark, or a link in another application. `other-site`: a page
 * of any other host, of one beside ours too. `unknown`: the browser says nothing, as over plain HTTP for most links and
 * pictures on any page, and for scripts.
 */
export type SentFrom = 'own-page' | 'address-bar' | 'other-site' | 'unknown'

export interface Caller {
  readonly userId: number
  readonly username: string
  readonly role: Role
  readonly group: string
  /** Null when the caller came with an access token. */
  readonly sessionId: string | null
}

export interface ApiReply {
  /** Default true. False answers HTTP 200 with success=false unless `status` says otherwise. */
  readonly success?: boolean
  readonly message?: string
  readonly data?: unknown
  /** Further top-level keys of the envelope, such as `time` or `group_ratio`. */
  readonly extra?: Readonly<Record<string, unknown>>
  /** Sent as it is instead of the envelope: JSON, plain text for a text, the bytes of a stream. */
  readonly whole?: unknown
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Session cookie to set; null clears it. */
  readonly session?: CookieToSet | null
  /** Visitor cookie to set; null clears it. */
  readonly visitor?: CookieToSet | null
  /** Cookie that identifies the browser at the next sign-in. */
  readonly knownBrowser?: CookieToSet
  /** Position of the written event: the caller's next reads wait for it. */
  readonly wrote?: Position
}

export interface CookieToSet {
  readonly token: string
  readonly maxAgeSeconds: number
}

/** success=false with a text for the user. */
export const failure = (message: string, status = 200): ApiReply => ({
  success: false,
  message,
  status,
})

/** The caller of a route whose access guarantees one. */
export function callerOf(request: ApiRequest): Caller {
  if (request.caller === null) throw new TypeError('a route without sign-in asked for its caller')
  return request.caller
}
