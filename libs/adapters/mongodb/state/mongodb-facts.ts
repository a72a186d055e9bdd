import type { Collection } from 'mongodb';
import type { Facts } from '#eventsourcing';
import { awaitServer } from '../await-server.js';
import { isDuplicate } from '../errors.js';
import type { MongoDb } from '../mongo-db.js';

interface FactDocument {
  readonly _id: string;
  readonly text: string;
}

/** The facts of the installation, in the collection `facts`. */
export class MongoDbFacts implements Facts {
  private readonly facts: Collection<FactDocument>;

  constructor(mongo: MongoDb) {
    this.facts = mongo.collection('facts');
  }

  async get(name: string): Promise<string | undefined> {
    return (await awaitServer(this.facts.findOne({ _id: name })))?.text;
  }

  /**
   * This call makes the text that it finds durable, if it was not yet: an update waits for a majority even for a rival's
   * write.
   */
  async insert(name: string, text: string): Promise<string> {
    try {
      const there = await awaitServer(
        this.facts.findOneAndUpdate(
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
    const { matchedCount } = await awaitServer(this.facts.updateOne({ _id: name, text: expected }, { $set: { text } }));
    return matchedCount === 1;
  }
}
