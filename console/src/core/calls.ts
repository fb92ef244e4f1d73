import type { components } from './server-contract.gen.ts'

/**
 * Types of the server's calls, all taken from its OpenAPI document (`npm run contract` writes them): a call is a method
 * and a path as the document has it, with or without a trailing slash.
 */
type Calls = components['schemas']

/** A call by its name, such as `GET /api/user/self`. */
export type CallName = keyof Calls

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths that the server serves by a method. */
type PathBy<M extends Method> = CallName extends infer Name
  ? Name extends `${M} ${infer Path}`
    ? Path
    : never
  : never

/** The names between braces in a path. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never

type WithoutParameters<Path extends string> = Path extends `${string}{${string}` ? never : Path
type WithSlash<Path extends string> = Path | `${Path}/`
type WithoutSlash<Path extends string> = Path extends `${infer Start}/` ? Start : Path

declare const PATH: unique symbol
/** An address that `pathOf` made of a path. */
export type AddressOf<Path extends string> = string & { readonly [PATH]: Path }

/** An address for a method: a path without parameters, or an address made by `pathOf`. */
export type AddressFor<M extends Method> =
  | WithSlash<WithoutParameters<PathBy<M>>>
  | AddressOf<PathBy<M>>

type CallAt<M extends Method, Address> =
  Address extends AddressOf<infer Path>
    ? CallNamed<`${M} ${Path}`>
    : Address extends string
      ? CallNamed<`${M} ${WithoutSlash<Address>}`>
      : never
type CallNamed<Name> = Name extends CallName ? Calls[Name] : never

/** The whole answer to a call that succeeds. */
export type EnvelopeOf<M extends Method, Address> = AnswerIn<CallAt<M, Address>>
type AnswerIn<Call> = Call extends { readonly answer: infer Envelope } ? Envelope : never

/** The `data` of the answer to a call that succeeds; undefined when it has none. */
export type DataOf<M extends Method, Address> = DataIn<EnvelopeOf<M, Address>>
type DataIn<Envelope> = Envelope extends { readonly data: infer Data } ? Data : undefined

/** The body that a call takes. */
export type BodyOf<M extends Method, Address> = BodyIn<CallAt<M, Address>>
type BodyIn<Call> = Call extends { readonly body: infer Body } ? Body : never

/** The `data` of the answer to a call that succeeds, by the call's name. */
export type Answer<Name extends CallName> = DataIn<AnswerIn<Calls[Name]>>

/** A row of the answer to a call, which lists rows by themselves or in a page. */
export type Row<Name extends CallName> = RowIn<Answer<Name>>
type RowIn<Data> = Data extends readonly (infer One)[]
  ? One
  : Data extends { readonly items: readonly (infer One)[] }
    ? One
    : never

/** The address of a path with these values in place of its parameters, and with a query that is sent as it stands. */
export const pathOf = <Path extends WithSlash<PathBy<Method>>>(
  path: Path,
  values: Readonly<Record<ParameterOf<Path>, string | number>>,
  search = '',
): AddressOf<WithoutSlash<Path>> => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: ParameterOf<Path>) =>
    encodeURIComponent(values[name]),
  )
  return (filled + search) as AddressOf<WithoutSlash<Path>>
}
