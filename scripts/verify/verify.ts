import { billingScenes } from './billing-scenes.ts'
import { moneyScenes } from './money-scenes.ts'
import type { Facts, Scene } from './scene.ts'
import { type Account, createStages } from './stage.ts'

export const scenes: Scene[] = [...billingScenes, ...moneyScenes]

type Outcome = { scene: Scene; facts: Facts } | { scene: Scene; refused: string }

export async function playScenes(account: Account, report: (outcome: Outcome) => void) {
  const { withStage } = createStages(account)
  for (const scene of scenes) {
    try {
      report({ scene, facts: await withStage((stage) => scene.play(stage)) })
    } catch (error) {
      report({ scene, refused: error instanceof Error ? messageOf(error) : String(error) })
    }
  }
}

/** Stripe's own message, which the gateway stores apart from the one for visitors. */
const messageOf = (error: Error) => {
  const fault: unknown = Reflect.get(error, 'fault')
  return typeof fault === 'object' && fault && 'message' in fault ? String(fault.message) : error.message
}

const show = (value: unknown) => JSON.stringify(value ?? null)

export function differences({ expected }: Scene, facts: Facts): string[] {
  const names = Object.keys({ ...expected, ...facts })
  const differingNames = names.filter((name) => facts[name] !== expected[name])
  return differingNames.map(
    (name) => `${name}: ${show(facts[name])} at Stripe, ${show(expected[name])} in the stand-in`,
  )
}

export const outline = `npm run stripe -- verify   plays the shop's scenes at Stripe, with a test key and test clocks,
and prints what differs from the stand-in (sandbox/). No money moves:

  STRIPE_SECRET_KEY=sk_test_… npm run stripe -- verify

It would play:
${scenes.map(({ title, asks }) => `· ${title}${asks ? `\n    ${asks}` : ''}`).join('\n')}
`
