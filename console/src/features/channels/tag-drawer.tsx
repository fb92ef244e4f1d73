import { Flex } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { put } from '../../core/api.ts'
import { CheckField } from '../../parts/choice-fields.tsx'
import { named } from '../../parts/combobox/choices.ts'
import { SuggestedField } from '../../parts/combobox/combobox-field.tsx'
import { FormField, TextField } from '../../parts/fields.tsx'
import { TextAreaField } from '../../parts/text-area-field.tsx'
import { DrawerForm } from '../../parts/form/drawer-form.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { ModelPicker } from '../../parts/model-picker.tsx'
import { notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import { ModelsMissing } from './models-missing.tsx'
import { groupsQuery, knownModelsQuery, tagsQuery } from './queries.ts'
import type { TagForm } from './tag-form.ts'
import { tagErrors, tagPayload } from './tag-form.ts'

/** Changes all channels of a tag at once; what is left empty stays as it is in each of them. */
export function TagDrawer({ tag, onClose }: { tag: string; onClose: () => void }) {
  const { t } = useTranslation()
  const groups = useQuery(groupsQuery).data ?? []
  const known = useQuery(knownModelsQuery)
  const tags = useQuery(tagsQuery).data ?? []
  const form = useForm({
    initial: (): TagForm => ({
      newTag: tag,
      modelMapping: '',
      models: [],
      groups: [],
      priority: '',
      weight: '',
    }),
    check: tagErrors,
    say: (problem) => t(`channels.error_${problem}`),
    refusals: {
      channel_priority_out_of_range: 'priority',
      channel_weight_out_of_range: 'weight',
      channel_model_mapping_invalid: 'modelMapping',
    },
    save: (values) => put('/api/channel/tag', tagPayload(tag, values) ?? { tag }),
    refresh: [['channels']],
    onSaved: () => {
      notifySuccess(t('form.saved'))
      onClose()
    },
  })
  const submit = () =>
    tagPayload(tag, form.values) ? form.submit() : notifyInfo(t('channels.tagUnchanged'))
  const chosen = form.values.groups
  const toggle = (group: string, isOn: boolean) =>
    form.set({ groups: isOn ? [...chosen, group] : chosen.filter((other) => other !== group) })
  return (
    <DrawerForm
      title={t('channels.tagEditTitle', { tag })}
      form={{ ...form, submit }}
      submitLabel={t('action.save')}
      onClose={onClose}
    >
      <SuggestedField
        label={t('channels.tag')}
        {...form.text('newTag')}
        choices={tags.map(named)}
        help={t('channels.tagDissolves')}
      />
      <ModelPicker
        label={t('channels.models')}
        value={form.values.models}
        suggestions={known.data ?? []}
        onChange={(models) => form.set({ models })}
      />
      <ModelsMissing list={known} />
      <FormField label={t('channels.group')} help={t('channels.emptyKeeps')}>
        <Flex gap="3" wrap="wrap">
          {groups.map((group) => (
            <CheckField
              key={group}
              label={group}
              isChecked={chosen.includes(group)}
              onChange={(isOn) => toggle(group, isOn)}
            />
          ))}
        </Flex>
      </FormField>
      <TextField
        label={t('channels.priority')}
        inputMode="numeric"
        {...form.text('priority')}
        help={t('channels.emptyKeeps')}
      />
      <TextField
        label={t('channels.weight')}
        inputMode="numeric"
        {...form.text('weight')}
        help={t('channels.emptyKeeps')}
      />
      <TextAreaField
        label={t('channels.modelMapping')}
        isMono
        {...form.text('modelMapping')}
        help={t('channels.emptyKeeps')}
      />
    </DrawerForm>
  )
}
