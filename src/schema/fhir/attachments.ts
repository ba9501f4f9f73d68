/** The content of an Attachment, whether it has the data itself or names a Binary of the tenant. */
import { GraphQLNonNull, GraphQLObjectType } from 'graphql';
import { COST_OF_READ, withCost } from '../cost';
import { isJsonObject } from '../json';
import type { Fields } from './elements';
import type { AttachmentContent, Handlers } from './handlers';
import { primitiveScalar } from './primitives';
import { ResourceSource } from '../types/resource';

/** As much as some hundred rows: there may be a megabyte of it. */
const COST_OF_DATA = { base: 500 };

/** The further fields of Attachment and of Binary. */
export interface ContentFields<Context> {
  readonly ofAttachment: Fields<Context>;
  readonly ofBinary: Fields<Context>;
}

export function contentFields<Context>(handlers: Handlers<Context>): ContentFields<Context> {
  const content = new GraphQLObjectType<AttachmentContent, Context>({
    name: 'AttachmentContent',
    description: 'The content of an Attachment or of the Binary that it names.',
    fields: {
      contentType: { type: primitiveScalar('code'), description: 'Its media type.' },
      size: { type: new GraphQLNonNull(primitiveScalar('unsignedInt')), description: 'Number of bytes.' },
      data: {
        type: primitiveScalar('base64Binary'),
        ...withCost(COST_OF_DATA),
        description: 'Its bytes, if they are no more than 1 MB.',
      },
      address: {
        type: primitiveScalar('url'),
        description:
          'An address below {fhir_root} from which a browser loads this version within a minute, without credentials and with ' +
          'the rights that the caller then has; null for data in the Attachment itself.',
      },
    },
  });
  const field = { type: content, ...withCost(COST_OF_READ) };
  return {
    ofAttachment: {
      content: {
        ...field,
        description: 'Null if there is neither data nor a Binary of this tenant.',
        resolve: (attachment, _given, context) =>
          isJsonObject(attachment) ? handlers.content(attachment, context) : undefined,
      },
    },
    ofBinary: {
      content: {
        ...field,
        description: 'The content of this version, also where it is too long to be part of the resource.',
        resolve: (binary, _given, context) =>
          binary instanceof ResourceSource && binary.isStored
            ? handlers.content({ url: binary.key }, context)
            : undefined,
      },
    },
  };
}
