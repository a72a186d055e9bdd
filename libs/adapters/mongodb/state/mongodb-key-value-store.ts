import type { Collection } from 'mongodb';
import type { KeyValueStore } from '#eventsourcing';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';

interface EntryDocument {
  readonly _id: string;
  readonly text: string;
}

/** The entries of the installation, in the collection `facts`. */
export class MongoDbKeyValueStore implements KeyValueStore {
  private readonly keyValues: Collection<EntryDocument>;

  constructor(private readonly mongo: MongoDb) {
    this.keyValues = mongo.collection('facts');
  }

  async get(name: string): Promise<string | undefined> {
    return (await this.mongo.answer(this.keyValues.findOne({ _id: name })))?.text;
  }

  /**
   * This call makes the text that it finds durable, if it was not yet: an update waits for a majority even for a rival's
   * write.
   */
  async insert(name: string, text: string): Promise<string> {
    try {
      const there = await this.mongo.answer(
        this.keyValues.findOneAndUpdate(
          { _id: name },
          { $setOnInsert: { text } },
          { upsert: true, returnDocument: 'after' },
        ),
      );
      return there?.text ?? text;
    } catch (error) {
      // A rival was first, so its text counts.
      if (isDuplicate(error)) return this.insert(name, text);
      throw error;
    }
  }

  async replace(name: string, expected: string, text: string): Promise<boolean> {
    const { matchedCount } = await this.mongo.answer(
      this.keyValues.updateOne({ _id: name, text: expected }, { $set: { text } }),
    );
    return matchedCount === 1;
  }
}
