import { Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { put } from '../../core/api.ts'
import { DrawerForm } from '../../parts/drawer-form.tsx'
import { CheckField, FormField, TextAreaField, TextField } from '../../parts/fields.tsx'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { useChannelChange } from './mutations.ts'
import { groupsQuery, knownModelsQuery } from './queries.ts'
import type { TagForm } from './tag-form.ts'
import { tagErrors, tagPayload } from './tag-form.ts'

/** Changes all channels of a tag at once; what is left empty stays as it is in each of them. */
export function TagDrawer({ tag, onClose }: { tag: string; onClose: () => void }) {
  const { t } = useTranslation()
  const [initial] = useState<TagForm>({
    newTag: tag,
    modelMapping: '',
    models: [],
    groups: [],
    priority: '',
    weight: '',
  })
  const [form, setForm] = useState(initial)
  const [isChecked, setChecked] = useState(false)
  const groups = useQuery(groupsQuery).data ?? []
  const known = useQuery(knownModelsQuery).data ?? []
  const save = useChannelChange(
    (payload: object) => put('/api/channel/tag', payload),
    () => {
      notifySuccess(t('form.saved'))
      onClose()
    },
  )
  const change = (part: Partial<TagForm>) => setForm((old) => ({ ...old, ...part }))
  const errors = isChecked ? tagErrors(form) : {}
  const submit = () => {
    setChecked(true)
    const payload = tagPayload(tag, form)
    if (!payload) notifyInfo(t('channels.tagUnchanged'))
    else if (Object.keys(tagErrors(form)).length === 0) save.mutate(payload)
  }
  const toggle = (group: string, isOn: boolean) =>
    change({
      groups: isOn ? [...form.groups, group] : form.groups.filter((other) => other !== group),
    })
  return (
    <DrawerForm
      title={t('channels.tagEditTitle', { tag })}
      isDirty={JSON.stringify(form) !== JSON.stringify(initial)}
      isBusy={save.isPending}
      submitLabel={t('action.save')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('channels.tag')}
        value={form.newTag}
        onChange={(newTag) => change({ newTag })}
        help={t('channels.tagDissolves')}
      />
      <ModelPicker
        label={t('channels.models')}
        value={form.models}
        suggestions={known}
        onChange={(models) => change({ models })}
      />
      <FormField label={t('channels.group')} help={t('channels.emptyKeeps')}>
        <Flex gap="3" wrap="wrap">
          {groups.map((group) => (
            <CheckField
              key={group}
              label={group}
              isChecked={form.groups.includes(group)}
              onChange={(isOn) => toggle(group, isOn)}
            />
          ))}
        </Flex>
      </FormField>
      <TextField
        label={t('channels.priority')}
        inputMode="numeric"
        value={form.priority}
        onChange={(priority) => change({ priority })}
        help={t('channels.emptyKeeps')}
        error={errors.priority ? t('channels.error_priority') : undefined}
      />
      <TextField
        label={t('channels.weight')}
        inputMode="numeric"
        value={form.weight}
        onChange={(weight) => change({ weight })}
        help={t('channels.emptyKeeps')}
        error={errors.weight ? t('channels.error_weight') : undefined}
      />
      <TextAreaField
        label={t('channels.modelMapping')}
        isMono
        value={form.modelMapping}
        onChange={(modelMapping) => change({ modelMapping })}
        help={t('channels.emptyKeeps')}
        error={errors.modelMapping ? t('channels.error_json') : undefined}
      />
    </DrawerForm>
  )
}
