/** What all components inside of a shown record need: its tenant and release, and the record itself. */
import { createContext, useContext } from 'react';
import type { JsonObject } from '../../api/json';
import type { Space } from '../../place';

export const RenderSpace = createContext<Space>({ tenant: 'system', release: 'r4' });

export function useRenderSpace(): Space {
  return useContext(RenderSpace);
}

/** The record whose contained resources references such as `#med` lead to. */
export const RenderRecord = createContext<JsonObject>({});

export function useRenderRecord(): JsonObject {
  return useContext(RenderRecord);
}
