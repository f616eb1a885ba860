// SPDX-License-Identifier: Apache-2.0
#include "libinterpose/memory/journal.hpp"

#include <gtest/gtest.h>

namespace mkmd {
namespace {

// Memory 0 is the program's, memory 1 that of a device which fails.
struct JournalTest : testing::Test {
  std::shared_ptr<Deed> deed(uint64_t sequence, std::vector<Deed::Use> uses, int domain,
                             bool repeatable = true) {
    auto made = std::make_shared<Deed>();
    made->sequence = sequence;
    made->uses = std::move(uses);
    made->repeatable = repeatable;
    if (domain >= 0) journal.complete(*made, domain);
    journal.add(made);
    return made;
  }
  void bring(History& buffer, int from, int to) { buffer.held[to].copy(buffer.all(), buffer.held[from]); }
  void lose() {
    for (History* h : {&a, &b, &c})
      h->held[1].set(h->all(), Versions::kNone);
  }

  History a{100, 2}, b{100, 2}, c{100, 2};
  const ByteRanges all{0, 100};
  Journal journal;
};

TEST(Versions, KeepWhoWroteWhat) {
  Versions one(100, 0);
  one.set(ByteRanges(10, 20), 5);
  one.set(ByteRanges(15, 40), 6);
  one.set(ByteRanges(90, 200), 7);
  EXPECT_EQ(one.having(5, ByteRanges(0, 100)), ByteRanges(10, 15));
  EXPECT_EQ(one.having(6, ByteRanges(0, 30)), ByteRanges(15, 30));
  EXPECT_EQ(one.having(7, ByteRanges(0, 100)), ByteRanges(90, 100));
  Versions other(100, Versions::kNone);
  EXPECT_TRUE(other.like(one, ByteRanges(0, 100)).empty());
  other.copy(ByteRanges(0, 20), one);
  EXPECT_EQ(one.like(other, ByteRanges(0, 100)), ByteRanges(0, 20));
  one.set(ByteRanges(0, 100), 8);
  EXPECT_TRUE(one.like(other, ByteRanges(0, 100)).empty());
}

TEST_F(JournalTest, NothingIsLostThatLiesElsewhere) {
  bring(a, 0, 1);
  deed(1, {{&a, all, {}}, {&b, {}, all}}, 1);
  bring(b, 1, 0);
  lose();
  EXPECT_TRUE(journal.to_redo()->empty());
  EXPECT_EQ(journal.valid(b)[0], all);
}

TEST_F(JournalTest, WhatIsDoneInHomesBytesLiesAtHome) {
  History shared(100, 3, 1u << 2);
  deed(1, {{&shared, {}, all}}, 2);
  EXPECT_EQ(journal.valid(shared)[0], all);
  EXPECT_TRUE(journal.valid(shared)[2].empty());
}

TEST_F(JournalTest, AChainIsComputedAgainFromWhatIsLeft) {
  const auto first = deed(1, {{&a, all, {}}, {&b, {}, all}}, 1);
  const auto second = deed(2, {{&b, all, {}}, {&c, {}, all}}, -1);  // under way
  lose();
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo);
  EXPECT_EQ(*redo, (Journal::Deeds{first, second}));
  journal.reopen(*redo);
  EXPECT_EQ(journal.valid(a)[0], all);
  EXPECT_EQ(journal.valid(b)[1], ByteRanges());
}

TEST_F(JournalTest, OnlyTheLostPiece) {
  const ByteRanges low(0, 50), high(50, 100);
  deed(1, {{&a, low, low}}, 0);  // in place: half at home, half on the device
  const auto lost = deed(1, {{&a, high, high}}, 1);
  lose();
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo);
  EXPECT_EQ(*redo, Journal::Deeds{lost}) << "home has what the other piece found";
  journal.reopen(*redo);
  EXPECT_EQ(journal.valid(a)[0], all);
}

TEST_F(JournalTest, WhatWasWrittenOverIsGone) {
  const auto lost = deed(0, {{&a, all, {}}, {&b, {}, all}}, 1);
  deed(2, {{&a, {}, all}}, 0, false);  // the program writes the input anew
  lose();
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo) << "nobody waits for it";
  EXPECT_TRUE(redo->empty());
  EXPECT_EQ(journal.valid(b)[0], ByteRanges());
  deed(3, {{&b, all, {}}, {&c, {}, all}}, -1);
  EXPECT_FALSE(journal.to_redo());
}

TEST_F(JournalTest, LaterWritersComeAlong) {
  const auto under_way = deed(1, {{&a, all, {}}, {&b, {}, all}}, -1);
  const auto later = deed(2, {{&a, all, all}}, 1);  // has overtaken it; home still has what was before
  lose();
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo);
  EXPECT_EQ(*redo, (Journal::Deeds{under_way, later}));
  journal.reopen(*redo);
  EXPECT_EQ(journal.valid(a)[0], all) << "as the first one is to find it";
}

// The second loss comes before what the first one took is computed again.
TEST_F(JournalTest, WhatIsToBeDoneAgainIsNotForgotten) {
  const auto first = deed(1, {{&a, all, {}}, {&b, {}, all}}, 1);
  const auto second = deed(2, {{&b, all, {}}, {&c, {}, all}}, 0);
  bring(b, 1, 0);
  lose();
  b.held[0].set(all, Versions::kNone);
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo);
  EXPECT_EQ(*redo, Journal::Deeds{first});
  journal.reopen(*redo);
  c.held[0].set(all, Versions::kNone);
  EXPECT_EQ(*journal.to_redo(), (Journal::Deeds{first, second}))
      << "the second one finds what the first makes";
  EXPECT_EQ(journal.take_incomplete(1), Journal::Deeds{first});
  EXPECT_TRUE(journal.take_incomplete(2).empty()) << "it is complete";
}

TEST_F(JournalTest, InPlaceFromTheBeginning) {
  for (uint64_t i = 1; i <= 5; ++i)
    deed(i, {{&a, all, all}}, 1);
  lose();
  EXPECT_EQ(journal.to_redo()->size(), 5u);
  journal.trim(3);
  EXPECT_EQ(journal.deeds().size(), 3u);
  EXPECT_TRUE(journal.to_redo()->empty()) << "what the third found is forgotten";
}

TEST_F(JournalTest, ALongChainIsFoundInAFewPasses) {
  for (uint64_t i = 1; i <= 2048; ++i)
    deed(i, {{&a, all, all}}, 1);
  lose();
  EXPECT_EQ(journal.to_redo()->size(), 2048u);
}

TEST_F(JournalTest, OriginalsThatAreKeptAreRestored) {
  const auto lost = deed(1, {{&a, all, {}}, {&b, {}, all}}, 1);
  const auto in_place = deed(2, {{&a, all, all}}, 0);
  lose();
  EXPECT_TRUE(journal.to_redo()->empty()) << "what both found is overwritten";
  a.originals.keep(0, {0, 100}, std::vector<unsigned char>(100).data());
  const auto redo = journal.to_redo();
  ASSERT_TRUE(redo);
  EXPECT_EQ(*redo, (Journal::Deeds{lost, in_place}));
  journal.reopen(*redo);
  EXPECT_EQ(journal.valid(a)[0], ByteRanges());
  EXPECT_EQ(journal.to_restore(a), all);
  a.held[0].copy(all, a.before);
  EXPECT_EQ(journal.valid(a)[0], all);
  EXPECT_TRUE(journal.to_restore(a).empty());
  journal.complete(*lost, 0);
  journal.complete(*in_place, 0);
  journal.trim(0);
  EXPECT_TRUE(a.originals.held(0, all).empty()) << "nobody needs them any more";
  EXPECT_EQ(a.fresh, all);
}

TEST_F(JournalTest, WhatFailedStaysLost) {
  const auto failed = deed(1, {{&a, all, {}}, {&b, {}, all}}, -1);
  journal.fail(*failed);
  EXPECT_TRUE(journal.to_redo()->empty());
  EXPECT_EQ(journal.valid(b)[0], ByteRanges());
}

TEST_F(JournalTest, PartsOfACommandAreForgottenTogether) {
  const ByteRanges low(0, 50), high(50, 100);
  for (uint64_t i = 1; i <= 3; ++i) {
    deed(i, {{&a, low, low}}, 1);
    deed(i, {{&a, high, high}}, 1);
  }
  journal.trim(3);
  EXPECT_EQ(journal.deeds().size(), 2u);
  EXPECT_EQ(journal.deeds().front()->sequence, 3u);
  journal.trim(1);
  EXPECT_EQ(journal.deeds().size(), 0u);
  deed(4, {{&a, low, low}}, 1);
  deed(4, {{&a, high, high}}, -1);
  EXPECT_TRUE(journal.trim(0).empty()) << "the other part is under way";
}

TEST_F(JournalTest, PartsThatMakeTheSameBytesAreDoneTogether) {
  bring(a, 0, 1);
  const auto here = deed(1, {{&a, all, {}}, {&b, {}, all}}, 0);
  const auto there = deed(1, {{&a, all, {}}, {&c, {}, all}}, 1);
  here->together = there->together = true;
  lose();
  EXPECT_EQ(journal.to_redo()->size(), 2u);
  here->repeatable = false;
  EXPECT_TRUE(journal.to_redo()->empty());
}

// Only what needs the bytes that nothing can make again.
TEST_F(JournalTest, TheHopelessAreNamed) {
  deed(1, {{&a, {}, all}}, 1, false);
  const auto needs = deed(2, {{&a, all, {}}, {&b, {}, all}}, -1);
  const auto needs_nothing = deed(3, {{&c, all, all}}, -1);
  lose();
  EXPECT_FALSE(journal.to_redo());
  ASSERT_EQ(journal.hopeless().size(), 1u);
  EXPECT_EQ(journal.hopeless().front(), needs);
  journal.fail(*needs);
  ASSERT_TRUE(journal.to_redo());
  EXPECT_EQ(journal.to_redo()->size(), 1u);
  EXPECT_EQ(journal.to_redo()->front(), needs_nothing);
}

TEST_F(JournalTest, ABufferKnowsHowManyNameIt) {
  deed(1, {{&a, all, {}}, {&b, {}, all}}, 0);
  const auto second = deed(2, {{&b, all, {}}, {&c, {}, all}}, 0);
  EXPECT_EQ(a.deeds, 1u);
  EXPECT_EQ(b.deeds, 2u);
  journal.remove({second});
  EXPECT_EQ(b.deeds, 1u);
  EXPECT_EQ(c.deeds, 0u);
  journal.trim(0);
  EXPECT_EQ(a.deeds + b.deeds, 0u);
}

}  // namespace
}  // namespace mkmd
