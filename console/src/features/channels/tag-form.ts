import { isJsonObject, isPriority, isWeight } from './channel-form.ts'

/** Changes for all channels of a tag, as typed; empty fields stay as they are. */
export interface TagForm {
  readonly newTag: string
  readonly modelMapping: string
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly priority: string
  readonly weight: string
}

/** The fields that can be wrong, each with the name of its message. */
export type TagErrors = Partial<
  Record<'modelMapping' | 'priority' | 'weight', 'json' | 'priority' | 'weight'>
>

/** Checks the form: an integer priority of at least −999, a weight of at least 0, a JSON object (seeds, section 5). */
export function tagErrors(form: TagForm): TagErrors {
  return {
    ...(isJsonObject(form.modelMapping) ? {} : { modelMapping: 'json' as const }),
    ...(form.priority === '' || isPriority(form.priority) ? {} : { priority: 'priority' as const }),
    ...(form.weight === '' || isWeight(form.weight) ? {} : { weight: 'weight' as const }),
  }
}

/** The body of PUT /api/channel/tag, or null when nothing would change. A blank new tag dissolves the tag. */
export function tagPayload(tag: string, form: TagForm) {
  const change = {
    ...(form.newTag.trim() === tag ? {} : { new_tag: form.newTag.trim() }),
    ...(form.modelMapping.trim() === '' ? {} : { model_mapping: form.modelMapping.trim() }),
    ...(form.models.length === 0 ? {} : { models: form.models.join(',') }),
    ...(form.groups.length === 0 ? {} : { groups: form.groups.join(',') }),
    ...(form.priority === '' ? {} : { priority: Number(form.priority) }),
    ...(form.weight === '' ? {} : { weight: Number(form.weight) }),
  }
  return Object.keys(change).length === 0 ? null : { tag, ...change }
}
