import { Box, Button, Flex, Input } from '@chakra-ui/react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nameProblem } from './price-draft.ts'

/** Adds a model by name, for one that no channel serves yet. */
export function AddModel(props: {
  isKnown: (name: string) => boolean
  onAdd: (name: string) => void
}) {
  const { t } = useTranslation()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<'required' | 'exists' | null>(null)
  const add = () => {
    const found = nameProblem(name.trim(), props.isKnown)
    setProblem(found)
    if (found) return
    props.onAdd(name.trim())
    setName('')
  }
  return (
    <Flex gap="1" align="center" wrap="wrap">
      <Input
        size="xs"
        width="150px"
        aria-label={t('pricing.newModel')}
        placeholder={t('pricing.newModel')}
        aria-invalid={problem !== null}
        value={name}
        onChange={(event) => {
          setName(event.target.value)
          setProblem(null)
        }}
        onKeyDown={(event) => event.key === 'Enter' && add()}
      />
      <Button size="xs" variant="outline" onClick={add}>
        {t('pricing.addModel')}
      </Button>
      {problem ? (
        <Box role="alert" color="fg.error" fontSize="xs">
          {t(`pricing.name_${problem}`)}
        </Box>
      ) : null}
    </Flex>
  )
}
