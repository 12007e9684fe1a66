import type { Schema } from '#contract/schema.ts'
import type { output, ZodMiniType } from '#contract/zod.ts'
import type { Rules } from '#web/ui/form.tsx'

/** A form's rules, loaded once someone types in it. Where they can't be, those of the server, which are the same, remain. */
export const checked =
  <S extends ZodMiniType>(rules: Schema<S>) =>
  async (): Promise<Rules<output<S>>> => {
    try {
      return rules(await import('#contract/zod.ts'))
    } catch {
      return { safeParse: (typed) => ({ success: true, data: typed as output<S> }) }
    }
  }
