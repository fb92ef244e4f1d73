import { Box, Button, chakra, IconButton, Input } from '@chakra-ui/react'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CheckField } from '../../parts/fields.tsx'
import { notifyFailure, notifyInfo, notifySuccess } from '../../parts/notify.tsx'
import type { GroupRow } from './groups.ts'
import { groupOptions, groupProblems, groupRows } from './groups.ts'
import { changedTexts } from './option-form.ts'
import { useSaveOptions } from './queries.ts'
import { Section } from './section.tsx'

const NEW_ROW: GroupRow = { name: '', ratio: '1', isUsable: false, description: '' }

/** The groups of users with their ratios, and which of them users may choose for their tokens. */
export function GroupSection({ options }: { options: ReadonlyMap<string, string> }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<readonly GroupRow[] | null>(null)
  const [refused, setRefused] = useState<readonly string[]>([])
  const rows = typed ?? groupRows(options)
  const problems = typed ? groupProblems(rows) : new Map<number, never>()
  const save = useSaveOptions(({ failures }) => {
    setRefused([...failures.values()])
    if (failures.size > 0) return notifyFailure(new Error(t('settings.notSaved')))
    setTyped(null)
    return notifySuccess(t('form.saved'))
  })
  const submit = () => {
    if (problems.size > 0) return notifyInfo(t('form.checkInput'))
    // Compared as the form would write them, so that spaces inside the stored JSON are no change.
    const changes = changedTexts(groupOptions(groupRows(options)), groupOptions(rows))
    if (changes.length === 0) return notifyInfo(t('form.unchanged'))
    return save.mutate(changes)
  }
  const change = (at: number, part: Partial<GroupRow>) =>
    setTyped(rows.map((row, index) => (index === at ? { ...row, ...part } : row)))
  return (
    <Section
      id="groups"
      title={t('settings.section_groups')}
      help={t('settings.groupsHelp')}
      isBusy={save.isPending}
      onSave={submit}
    >
      <Box
        as="section"
        position="relative"
        overflowX="auto"
        aria-label={t('settings.section_groups')}
        tabIndex={0}
      >
        <chakra.table fontSize="sm" w="full" maxW="760px">
          <thead>
            <tr>
              {(
                ['groupName', 'groupRatio', 'groupUsable', 'groupText', 'groupRemove'] as const
              ).map((key) => (
                <chakra.th
                  key={key}
                  scope="col"
                  textAlign="start"
                  fontWeight="500"
                  fontSize="xs"
                  color="fg.muted"
                  pe="3"
                  pb="1"
                  whiteSpace="nowrap"
                >
                  {key === 'groupRemove' ? (
                    <chakra.span srOnly>{t(`settings.${key}`)}</chakra.span>
                  ) : (
                    t(`settings.${key}`)
                  )}
                </chakra.th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <Row
                // oxlint-disable-next-line react/no-array-index-key -- names are being typed, the place is what stays.
                key={index}
                row={row}
                place={index + 1}
                problem={problems.get(index)}
                onChange={(part) => change(index, part)}
                onRemove={() => setTyped(rows.filter((_, at) => at !== index))}
              />
            ))}
          </tbody>
        </chakra.table>
      </Box>
      {refused.map((message) => (
        <Box key={message} role="alert" color="fg.error" fontSize="xs" mt="2">
          {message}
        </Box>
      ))}
      <Button size="xs" variant="outline" mt="3" onClick={() => setTyped([...rows, NEW_ROW])}>
        <Plus size={13} aria-hidden />
        {t('settings.addGroup')}
      </Button>
    </Section>
  )
}

function Row(props: {
  row: GroupRow
  place: number
  problem: 'nameMissing' | 'nameTwice' | 'ratio' | undefined
  onChange: (part: Partial<GroupRow>) => void
  onRemove: () => void
}) {
  const { t } = useTranslation()
  const { row, problem, onChange } = props
  const name = row.name || `#${props.place}`
  const cell = (key: 'name' | 'ratio' | 'description', label: string, width: string) => (
    <chakra.td pe="3" py="1" verticalAlign="top">
      <Input
        size="xs"
        width={width}
        aria-label={`${name}: ${label}`}
        aria-invalid={problem !== undefined && (key === 'ratio') === (problem === 'ratio')}
        {...(key === 'ratio' ? { inputMode: 'decimal', textAlign: 'end' } : {})}
        value={row[key]}
        onChange={(event) => onChange({ [key]: event.target.value })}
      />
      {key === 'name' && problem ? (
        <Box role="alert" color="fg.error" fontSize="xs">
          {t(`settings.group_${problem}`)}
        </Box>
      ) : null}
    </chakra.td>
  )
  return (
    <tr>
      {cell('name', t('settings.groupName'), '130px')}
      {cell('ratio', t('settings.groupRatio'), '90px')}
      <chakra.td pe="3" py="2" verticalAlign="top">
        <CheckField
          label={`${name}: ${t('settings.groupUsable')}`}
          isLabelHidden
          isChecked={row.isUsable}
          onChange={(isUsable) => onChange({ isUsable })}
        />
      </chakra.td>
      {cell('description', t('settings.groupText'), '180px')}
      <chakra.td py="1" verticalAlign="top">
        <IconButton
          size="xs"
          variant="ghost"
          aria-label={t('settings.removeGroup', { name })}
          onClick={props.onRemove}
        >
          <Trash2 size={14} />
        </IconButton>
      </chakra.td>
    </tr>
  )
}
