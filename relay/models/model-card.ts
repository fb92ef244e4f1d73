import owners from '../data/model-owners.json' with { type: 'json' }

const OWNERS: ReadonlyMap<string, string> = new Map(Object.entries(owners))

/** OpenAI's model object with the fields that clients of such gateways read (relay-and-billing.md 2, GET /v1/models). */
export interface ModelCard {
  readonly id: string
  readonly object: 'model'
  /** Unix seconds; the same for all, as no upstream tells. */
  readonly created: typeof CREATED
  readonly owned_by: string
  readonly permission: readonly unknown[]
  readonly root: string
  readonly parent: null
}

const CREATED = 1626777600

const PERMISSION = {
  id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
  object: 'model_permission',
  created: 1626777600,
  allow_create_engine: true,
  allow_sampling: true,
  allow_logprobs: true,
  allow_search_indices: false,
  allow_view: true,
  allow_fine_tuning: false,
  organization: '*',
  group: null,
  is_blocking: false,
}

/** The card of a model; owned by `custom` when it is in no catalogue. */
export const modelCard = (id: string): ModelCard => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: OWNERS.get(id) ?? 'custom',
  permission: [PERMISSION],
  root: id,
  parent: null,
})

/** The same as Anthropic's clients read it. */
export const anthropicCard = (id: string): Readonly<Record<string, string>> => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(CREATED * 1_000).toISOString(),
})

/** The same as Google's clients read it; which limits a model has, no channel tells. */
export const googleCard = (id: string): object => ({
  name: `models/${id}`,
  version: '',
  displayName: id,
  description: '',
  supportedGenerationMethods: [
    'generateContent',
    'countTokens',
    'embedContent',
    'batchEmbedContents',
  ],
})
