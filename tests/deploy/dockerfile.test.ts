import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { DEPLOY_FOLDER, readCompose, tollgateServices } from './compose-file.ts'
import { runtimeFiles } from './runtime-files.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const text = await readFile(`${DEPLOY_FOLDER}Dockerfile`, 'utf8')
const dockerfile = DockerfileParser.parse(text)
const ROOTS = ['all-in-one', 'api', 'relay', 'projector'].map(
  (root) => `infra/processes/${root}.ts`,
)

/** The arguments of an instruction, without flags. */
const argumentsOf = (instruction: { getArguments(): { getValue(): string }[] }): string[] =>
  instruction.getArguments().map((argument) => argument.getValue())

const copies = dockerfile.getCOPYs()
/** Sources of COPY from the repository, not from another stage. */
const copied = copies
  .filter((copy) => copy.getFromFlag() === null)
  .flatMap((copy) => argumentsOf(copy).slice(0, -1))
const imageStage = dockerfile.getFROMs().at(-1)?.getRange().start.line ?? 0
/** Sources that the last stage takes from the repository. */
const inImage = copies
  .filter((copy) => copy.getFromFlag() === null && (copy.getRange()?.start.line ?? 0) > imageStage)
  .flatMap((copy) => argumentsOf(copy).slice(0, -1))

describe('the Dockerfile', () => {
  test('given its instructions, when checked, then there is nothing to say', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
    expect(validate('FROM node\nCOPPY a b\n').length).toBeGreaterThan(0)
  })

  test('given its stages, when looked at, then only the last stays and its base is package.json’s Node', () => {
    const bases = dockerfile.getFROMs().map((from) => from.getImage())
    expect(bases.length).toBeGreaterThan(2)
    expect(bases.filter((base) => base?.startsWith('node:'))).toEqual([
      'node:${NODE_VERSION}-bookworm-slim',
      'node:${NODE_VERSION}-bookworm-slim',
    ])
    expect(text).toContain(`ARG NODE_VERSION=${manifest.dependencies.node}\n`)
  })

  test('given what it copies, when looked for, then repository and Dockerfile.dockerignore have it', async () => {
    const ignore = await readFile(`${DEPLOY_FOLDER}Dockerfile.dockerignore`, 'utf8')
    const letIn = [...ignore.matchAll(/^!(.+)$/gm)].map(([, path]) => path ?? '')
    const isLetIn = (path: string): boolean =>
      letIn.some((entry) => path === entry || path.startsWith(`${entry}/`))
    expect(copied.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([])
    expect(copied.filter((path) => !isLetIn(path))).toEqual([])
    const workspaces = copied.filter((path) => path.endsWith('/package.json'))
    expect(workspaces.toSorted()).toEqual(
      manifest.workspaces.map((w) => `${w}/package.json`).toSorted(),
    )
  })

  test('given the image, when run, then not as root, and it says whether it is well', () => {
    const user = dockerfile.getInstructions().filter((one) => one.getInstruction() === 'USER')
    expect(user.map((one) => one.getArgumentsContent())).toEqual(['node'])
    const [check] = dockerfile.getHEALTHCHECKs()
    expect(check?.getArgumentsContent()).toContain('infra/deploy/health-check.ts')
    expect(existsSync(`${DEPLOY_FOLDER}health-check.ts`)).toBe(true)
  })

  test('given the build in compose.yaml, when looked at, then it is this file with the repository around it', async () => {
    for (const [, { build }] of tollgateServices(await readCompose())) {
      expect(resolve(DEPLOY_FOLDER, build?.context ?? '')).toBe(resolve(REPOSITORY))
      expect(resolve(REPOSITORY, build?.dockerfile ?? '')).toBe(
        resolve(DEPLOY_FOLDER, 'Dockerfile'),
      )
    }
  })
})

describe('what the processes are made of', () => {
  test('given every imported file, when looked for, then image and installed packages have it', async () => {
    const { files, packages } = await runtimeFiles(REPOSITORY, ROOTS)
    expect(files.length).toBeGreaterThan(200)
    const isInImage = (file: string): boolean =>
      inImage.some((path) => file.startsWith(`${path}/`)) || file === 'package.json'
    expect(files.filter((file) => !isInImage(file))).toEqual([])
    expect(files.filter((file) => file.includes('.test.'))).toEqual([])

    const installed = await Promise.all(
      installedWorkspaces().map((workspace) => dependenciesOf(workspace)),
    )
    expect([...packages].filter((name) => !installed.flat().includes(name))).toEqual([])
  })
})

/** Workspaces of the stage that installs what runs. */
function installedWorkspaces(): readonly string[] {
  const install = dockerfile
    .getInstructions()
    .map((one) => one.getArgumentsContent() ?? '')
    .find((content) => content.includes('--omit=dev'))
  return [...(install ?? '').matchAll(/--workspace (\w+(?:-\w+)*)/g)].map(([, name]) => name ?? '')
}

async function dependenciesOf(workspace: string): Promise<readonly string[]> {
  const source = await readFile(join(REPOSITORY, workspace, 'package.json'), 'utf8')
  const { dependencies = {} } = JSON.parse(source) as {
    dependencies?: Readonly<Record<string, string>>
  }
  return Object.keys(dependencies)
}
