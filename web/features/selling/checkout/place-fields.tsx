import { useState } from 'react'
import * as z from 'zod/mini'
import { countryNames } from '#contract/country-names.ts'
import { optionalText } from '#contract/fields.ts'
import type { User } from '#contract/identity/session.ts'
import { type BillingDetails, billing, countries, country, needsPostalCode, vatId } from '#contract/selling/billing.ts'
import { useData } from '#web/api/client.ts'
import { useSettings } from '#web/api/settings.tsx'
import { TextButton } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form.tsx'
import { Input, Select } from '#web/ui/input.tsx'

export const placeForm = { country, postalCode: optionalText(20), vatId: z.optional(vatId) }

export type PlaceValues = { country?: string | undefined; postalCode?: string | undefined; vatId?: string | undefined }

export function useNeedsBillingLocation() {
  return useSettings().tax.mode === 'stripe'
}

/** Billing details of the logged-in user, if this shop asks for a place. Loads them on each mount, because forms copy them. */
export function useKnownPlace(user: User | null) {
  const needsPlace = useNeedsBillingLocation()
  const query = useData(billing.details, {}, { enabled: needsPlace && user !== null, gcTime: 0 })
  return { query, isMissing: needsPlace && user !== null && !query.data }
}

export const isPlaceIncomplete = ({ country: code, postalCode }: BillingDetails) =>
  !code || (needsPostalCode(code) && !postalCode)

/** Shown instead of the fields while a subscription runs, whose tax the same place decides. */
export function PlaceInUse({ details, onChange }: { details: BillingDetails; onChange: () => void }) {
  const name = details.country && countryNames.of(details.country)
  const andVatId = details.vatId && ` and the VAT ID ${details.vatId}`
  return (
    <p>
      {isPlaceIncomplete(details)
        ? 'Please enter your country, and in the US or Canada your postal code, first. '
        : `Your subscriptions are taxed for ${name}${andVatId}. `}
      <TextButton onClick={onChange}>Change billing details</TextButton>
    </p>
  )
}

/** Shown only in shops whose tax Stripe computes. */
export function PlaceFields({ known }: { known: BillingDetails | undefined }) {
  const [countryCode, setCountryCode] = useState(known?.country ?? '')
  const [isCompany, setIsCompany] = useState(Boolean(known?.vatId))
  return (
    <>
      <Field
        name="country"
        label="Country"
        hint="The price stays the same; the tax inside it depends on where you live."
      >
        <Select
          required
          autoComplete="country"
          value={countryCode}
          onChange={(event) => setCountryCode(event.target.value)}
        >
          <option value="" disabled>
            Choose your country
          </option>
          {countries.map((code) => (
            <option key={code} value={code}>
              {countryNames.of(code)}
            </option>
          ))}
        </Select>
      </Field>
      {needsPostalCode(countryCode) && (
        <Field name="postalCode" label="Postal code">
          <Input required maxLength={20} autoComplete="postal-code" defaultValue={known?.postalCode} />
        </Field>
      )}
      <label className="flex cursor-pointer items-center gap-3 text-sm">
        <input
          type="checkbox"
          checked={isCompany}
          onChange={(event) => setIsCompany(event.target.checked)}
          className="size-5 cursor-pointer accent-accent"
        />
        I’m buying for a company with a VAT ID
      </label>
      {isCompany && (
        <Field name="vatId" label="VAT ID" hint="Like DE123456789. You then account for the VAT yourself.">
          <Input maxLength={24} autoComplete="off" defaultValue={known?.vatId} />
        </Field>
      )}
    </>
  )
}
